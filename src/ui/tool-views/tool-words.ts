// The words on a tool's card: what it does or did, and to what. One row per tool; others are shown by their own name.
import type { Decision } from '../../storage/log/events.ts'
import type { ToolCard, ToolState } from '../../storage/log/projections/transcript-items.ts'
import { stringField } from './partial-arguments.ts'

type Words = { readonly plain: string; readonly now: string; readonly past: string; readonly subject?: string }

const WORDS: Readonly<Record<string, Words>> = {
  bash: { plain: 'Run', now: 'Running', past: 'Ran', subject: 'command' },
  run_js: { plain: 'Run JavaScript', now: 'Running JavaScript', past: 'Ran JavaScript', subject: 'file' },
  write_file: { plain: 'Write', now: 'Writing', past: 'Wrote', subject: 'path' },
  read_file: { plain: 'Read', now: 'Reading', past: 'Read', subject: 'path' },
  ask_user: { plain: 'Ask you', now: 'Asking you', past: 'Asked you' },
  status: { plain: 'Report', now: 'Reporting', past: 'Reported', subject: 'task' },
  list_files: { plain: 'List files', now: 'Listing files', past: 'Listed files', subject: 'folder' },
}

export const sayTool = (card: ToolCard): { readonly title: string; readonly subject: string | undefined } => {
  const words = WORDS[card.name]
  if (words === undefined) return { title: card.name === '' ? 'Tool' : inOneLine(card.name), subject: undefined }
  const subject = words.subject === undefined ? undefined : stringField(card.arguments, words.subject)
  return { title: words[TENSE[card.state.kind]], subject: subject === undefined ? undefined : inOneLine(subject) }
}

/** A model may give anything as a name or a path. */
const inOneLine = (words: string): string => (words.length <= 300 ? words : `${words.slice(0, 300)}…`)

const TENSE: Record<ToolState['kind'], 'plain' | 'now' | 'past'> = {
  preparing: 'now',
  asked: 'plain',
  running: 'now',
  waiting: 'plain',
  done: 'past',
  failed: 'plain',
  denied: 'plain',
  aborted: 'plain',
}

export const sayState = ({ state, asked }: ToolCard): string => {
  switch (state.kind) {
    case 'preparing':
      return 'preparing'
    case 'asked':
      return 'next'
    case 'running':
      return 'running'
    case 'waiting':
      return 'waiting for you'
    case 'done':
      return asked === undefined ? 'done' : asked.answers === null ? 'dismissed' : 'answered'
    case 'failed':
      return 'failed'
    case 'denied':
      return 'not allowed'
    case 'aborted':
      return state.error?.code === 'TOOL_OUTCOME_UNKNOWN' ? 'outcome unknown' : 'did not run'
  }
}

/** What the person decided about it, once they did. A stop decides too, and is told by the state. */
export const sayDecision = ({ decision, state }: ToolCard): string | undefined => {
  if (decision === undefined || state.kind === 'aborted') return undefined
  if (decision.kind === 'deny') return decision.note === undefined ? 'You said no. The agent was told.' : `You said no: ${decision.note}`
  return ALLOWED[decision.reach]
}

const ALLOWED: Record<Decision['reach'], string> = {
  once: 'You allowed this call.',
  session: 'You allowed this tool for the rest of the session.',
  always: 'You allowed this tool for always.',
}

/** What a person may want to know about a failure that the tool's own words do not say. */
export const sayAdvice = ({ state, decision }: ToolCard): string | undefined => {
  if (state.kind === 'denied' && decision !== undefined) return undefined
  if (state.kind === 'denied') return 'The agent was told that this is not allowed.'
  if (state.kind === 'failed') return ADVICE[state.error?.code ?? ''] ?? 'The agent was told about the error and can try another way.'
  if (state.kind !== 'aborted') return undefined
  return ADVICE[state.error?.code ?? ''] ?? 'The turn was stopped before this call ran.'
}

const ADVICE: Readonly<Record<string, string>> = {
  UNKNOWN_TOOL: 'There is no such tool. The agent was told which ones there are.',
  INVALID_ARGS: 'The arguments did not fit the tool. The agent was told what is wrong with them.',
  TOOL_TIMEOUT: 'It took too long and was ended. The agent was told so.',
  TOOL_OUTCOME_UNKNOWN: 'It had begun when it was cut off, so nobody knows whether it finished. Check before you repeat it.',
  ABORTED: 'It was stopped while it ran.',
}
