// What the demo says about itself: honest about being rules, and about what it can do.
import { DEMO_TASKS } from '../demo-tasks.ts'

const SELF =
  'I am the built-in demo: a set of rules, **not a language model**. I need no key and no network. The tools I call are real: the code runs, the files are written.'

const CAN_DO = [
  ...DEMO_TASKS.map(({ prompt }) => `- ${prompt}`),
  '- `12*34+5`, or `compute sqrt(2) * pi`',
  '- `list files`, `read notes.md`, `write "some text" to notes.md`, `add "a line" to notes.md`',
  '- `count words in notes.md`',
  '- `run average.js`, or a code block in JavaScript',
].join('\n')

export const introduction = (): string =>
  `${SELF}\n\nYou can ask me things like:\n\n${CAN_DO}\n\nFor anything else, choose a model in the settings.`

export const notUnderstood = (goal: string): string => {
  const shown = goal.length > 120 ? `${goal.slice(0, 120)}…` : goal
  const quoted = shown.trim() === '' ? 'That was empty.' : `I have no rule for “${shown.replaceAll('\n', ' ')}”.`
  return `${quoted} ${SELF}\n\nWhat I can do:\n\n${CAN_DO}\n\nFor anything else, choose a model in the settings.`
}

export const isGreeting = (goal: string): boolean =>
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|help|\?|who are you|what are you|what can you do|what is this|how are you|are you (?:an? )?(?:ai|llm|language model|real))\b.{0,40}$/is.test(
    goal.trim(),
  )
