// A run in words: what the agent is doing for the eye, and its start and end for a screen reader.
import { effect } from '@preact/signals'
import type { TurnEndReason } from '../../storage/log/events.ts'
import type { Activity, RunState, TaskProgress } from '../../storage/log/projections/run-state.ts'
import type { Asking } from './asking.ts'
import { keyOf } from './asking.ts'
import type { CurrentSession } from './current-session.ts'
import type { Notices } from './notices.ts'
import { sayAsked } from './say-asked.ts'

/** Undefined while the screen shows it already, as a reply that streams or a retry's note. */
export const sayActivity = (activity: Activity): string | undefined => {
  switch (activity.kind) {
    case 'starting':
    case 'asking':
      return 'Thinking'
    case 'replying':
    case 'tools':
    case 'retrying':
      return undefined
  }
}

/** A task run in a few characters: `Task · step 3 of 100`. */
export const sayProgress = ({ current, max }: TaskProgress): string =>
  current === undefined || max === undefined ? 'Task' : `Task · step ${current} of ${max}`

type Needs = { readonly current: CurrentSession; readonly asking: Asking; readonly notices: Notices }
type Seen = { readonly id: string | undefined; readonly phase: RunState['kind']; readonly asked: string | undefined }

/** Speaks at the start and the end of a run and at each question. */
export const speakOfRuns = ({ current, asking, notices }: Needs): (() => void) => {
  let before: Seen = { id: undefined, phase: 'idle', asked: undefined }
  return effect(() => {
    const asked = asking.first.value
    const now: Seen = { id: current.id.value, phase: current.phase.value, asked: asked === undefined ? undefined : keyOf(asked) }
    const was = before
    before = now
    if (was.phase === now.phase && was.asked === now.asked) return
    // A question is spoken of when its session is opened, too; how another session stands is not news.
    if (asked !== undefined && was.asked !== now.asked) notices.speak(sayAsked(asked))
    else if (was.id !== now.id) return
    else if (now.phase === 'running') was.phase !== 'waiting' && notices.speak('The agent is working.')
    else if (now.phase !== 'waiting') notices.speak(sayEnd(current.run.peek()))
  })
}

const sayEnd = (run: RunState): string => {
  if (run.kind === 'paused') return run.by.kind === 'error' ? `The turn failed. ${run.by.message}` : 'The turn was interrupted.'
  return run.kind === 'idle' && run.ended !== undefined ? ENDED[run.ended.kind] : 'The agent is done.'
}

const ENDED: Record<TurnEndReason['kind'], string> = {
  completed: 'The agent is done.',
  aborted: 'The agent was stopped.',
  error: 'The turn failed.',
  disposed: 'The session was closed.',
  'max-tokens': 'The reply was cut at its length limit.',
  rejected: 'The message was not accepted.',
  interrupted: 'The turn was interrupted.',
}
