// Waiting for what a person does, as an event of the log: it may be there already, it may come after a reload, it may never come.
import type { CallId } from '../../../storage/log/content.ts'
import type { EventOf, SessionEvent } from '../../../storage/log/events.ts'
import type { Session } from '../../hooks/agent.ts'
import type { Scope } from '../../loop/scope.ts'

type AboutCall = 'question/asked' | 'question/answered' | 'approval/asked' | 'approval/decided'

const callOf = ({ data }: SessionEvent): CallId | undefined => ('callId' in data ? data.callId : undefined)

/** The newest event of this type about this call. Looks back no further than the call itself. */
export const eventOfCall = <T extends AboutCall>(session: Session, type: T, callId: CallId): EventOf<T> | undefined => {
  for (let seq = session.events.length - 1; seq >= 0; seq--) {
    const event = session.events[seq]
    if (event?.type === 'tool/call' && event.data.callId === callId) return undefined
    if (event?.type === type && callOf(event) === callId) return event as EventOf<T>
  }
  return undefined
}

/** Rejects with the signal's reason when the turn is stopped. Nothing else ends the wait, and nothing is paid for it. */
export const awaitEvent = <T extends AboutCall>(
  scope: Scope,
  session: Session,
  type: T,
  callId: CallId,
  signal: AbortSignal,
): Promise<EventOf<T>> =>
  new Promise((resolve, reject) => {
    const there = eventOfCall(session, type, callId)
    if (there !== undefined) return resolve(there)
    const leave = (): void => {
      void off()
      signal.removeEventListener('abort', onAbort)
    }
    const onAbort = (): void => {
      leave()
      reject(signal.reason ?? new Error('The turn was stopped'))
    }
    const off = scope.on('session/event', ({ id }, event) => {
      if (id !== session.id || event.type !== type || callOf(event) !== callId) return
      leave()
      resolve(event as EventOf<T>)
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
