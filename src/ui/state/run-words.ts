// A run in words: what the agent is doing for the eye, and its start and end for a screen reader.
import { effect } from '@preact/signals'
import type { TurnEndReason } from '../../storage/log/events.ts'
import type { Activity, RunState } from '../../storage/log/projections/run-state.ts'
import type { CurrentSession } from './current-session.ts'
import type { Notices } from './notices.ts'

/** `now` in epoch milliseconds. Undefined while the screen shows it already, as a reply that streams. */
export const sayActivity = (activity: Activity, now: number): string | undefined => {
  switch (activity.kind) {
    case 'starting':
    case 'asking':
      return 'Thinking'
    case 'replying':
    case 'tools':
      return undefined
    case 'retrying':
      return activity.until <= now ? 'Trying again' : `Trying again in ${Math.ceil((activity.until - now) / 1000)} s`
  }
}

/** Speaks at the start and the end of a run, and tells `onChange` of both. */
export const speakOfRuns = (current: CurrentSession, notices: Notices, onChange: () => void): (() => void) => {
  let before: { readonly id: string | undefined; readonly phase: RunState['kind'] } = { id: undefined, phase: 'idle' }
  return effect(() => {
    const now = { id: current.id.value, phase: current.phase.value }
    const was = before
    before = now
    if (was.id !== now.id || was.phase === now.phase) return
    if (now.phase === 'running' && was.phase !== 'waiting') notices.speak('The agent is working.')
    else if (now.phase !== 'running') notices.speak(sayEnd(current.run.peek()))
    onChange()
  })
}

const sayEnd = (run: RunState): string => {
  if (run.kind === 'waiting') return run.on === 'answer' ? 'The agent asks you something.' : 'The agent asks for your permission.'
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
