// A projection is a fold over the log: everything that is shown, sent or decided is one of these.
import type { SessionEvent } from './events.ts'

/** `apply` is pure, and returns the same reference for an event that is not its concern. */
export type Projection<State> = {
  readonly initial: State
  readonly apply: (state: State, event: SessionEvent) => State
}

export const fold = <State>(projection: Projection<State>, events: Iterable<SessionEvent>, from: State = projection.initial): State => {
  let state = from
  for (const event of events) state = projection.apply(state, event)
  return state
}
