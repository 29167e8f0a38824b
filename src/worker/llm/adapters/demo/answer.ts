// Decides what the demo says next: a pure function of the conversation and of the tools it may call.
import { introduction, isGreeting, notUnderstood } from './about.ts'
import { packingList } from './change-file.ts'
import { arithmetic, knownNumbers, primes } from './compute.ts'
import { countNewFiles, countWords } from './count-words.ts'
import { fixProgram } from './fix-program.ts'
import type { Conversation, Goal } from './read-conversation.ts'
import { call, type DemoCall, type DemoReply, type DemoRule, type DemoScript, replay } from './script.ts'
import { addToFile, listFiles, readOneFile, runCode, writeOneFile } from './simple-requests.ts'

/** The first that knows what to do does it; the more particular ones come first. */
const RULES: readonly DemoRule[] = [
  writeOneFile,
  runCode,
  addToFile,
  countNewFiles,
  fixProgram,
  packingList,
  countWords,
  listFiles,
  readOneFile,
  primes,
  knownNumbers,
  arithmetic,
]

// Rules are regular expressions: on a very long text they would hold up the worker.
const LONGEST_GOAL = 20_000

const STOP = /^(?:please\s+)?(?:stop|halt|cancel|abort|never ?mind|enough)\b/i

export const answer = ({ goals, newContexts }: Conversation, toolNames: readonly string[]): DemoReply => {
  const goal = goals.findLast(({ kind, text }) => kind === 'prompt' || scriptFor(text) !== undefined)
  if (goal === undefined) return said(introduction())
  const later = goals.slice(goals.indexOf(goal) + 1)
  if (later.some(({ text }) => STOP.test(text))) return said('I stop here, as you asked.')
  if (STOP.test(goal.text)) return said('Nothing is going on that I could stop.')
  const script = scriptFor(goal.text)
  const notes = [
    ...skippedPrompts(goals, goal),
    ...(goal.isNew && goal.kind === 'steering' ? [changedCourse(goal)] : []),
    ...aboutSteering(later, script !== undefined),
    ...aboutContexts(newContexts),
    ...aboutImages(goal),
  ]
  if (script === undefined) return said([...notes, isGreeting(goal.text) ? introduction() : notUnderstood(goal.text)].join('\n\n'))
  const step = replay(script, goal.rounds)
  if ('answer' in step) {
    const { text } = said(goal.lastAnswer?.endsWith(step.answer) ? NOTHING_LEFT : [...notes, step.answer].join('\n\n'))
    return { text, calls: step.done && toolNames.includes('status') ? [reportDone(goal)] : [] }
  }
  const missing = step.reply.calls.find(({ name }) => !toolNames.includes(name))
  if (missing !== undefined)
    return said([...notes, `For that I need the tool \`${missing.name}\`, which is not available here.`].join('\n\n'))
  return { text: [...notes, step.reply.text].join('\n\n'), calls: step.reply.calls }
}

/** Only a task run has the tool for it. */
const reportDone = ({ text }: Goal): DemoCall =>
  call('status', {
    task: text.trim().split('\n', 1)[0]?.slice(0, 120) || 'what was asked',
    done: 'all of it; the answer says how',
    complete: true,
  })

const NOTHING_LEFT = 'That is done already; there is nothing left to do about it. Ask me for something else.'

const said = (text: string): DemoReply => ({ text, calls: [] })

const scriptFor = (goal: string): DemoScript | undefined => {
  if (goal.length > LONGEST_GOAL) return undefined
  for (const rule of RULES) {
    const script = rule(goal)
    if (script !== undefined) return script
  }
  return undefined
}

const quote = (text: string): string => `“${text.length > 80 ? `${text.slice(0, 80)}…` : text}”`.replaceAll('\n', ' ')

const changedCourse = ({ text }: Goal): string => `You added ${quote(text)}, so I do that now.`

/** Prompts that were sent together share a turn; rules can follow only one. */
const skippedPrompts = (goals: readonly Goal[], goal: Goal): readonly string[] => {
  const skipped = goals.filter((each) => each !== goal && each.kind === 'prompt' && each.isNew && goal.isNew)
  return skipped.length === 0 ? [] : [`You sent ${skipped.length + 1} messages at once. I follow the last one; send the others again.`]
}

const aboutSteering = (later: readonly Goal[], isGoingOn: boolean): readonly string[] =>
  later
    .filter(({ isNew }) => isNew)
    .map(
      ({ text }) =>
        `I saw your note ${quote(text)}. I follow fixed rules and cannot take it into account${isGoingOn ? ', so I go on' : ''}.`,
    )

const aboutContexts = (count: number): readonly string[] =>
  count === 0 ? [] : [`I was given ${count === 1 ? 'a note' : `${count} notes`} by a plugin, which my rules do not use.`]

const aboutImages = ({ hasImage, isNew }: Goal): readonly string[] => (hasImage && isNew ? ['I cannot look at pictures.'] : [])
