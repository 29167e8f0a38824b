// One session's log: append, validate, freeze, number. The log is the only truth; what is indexed here is a fold that advances with it.
import type { CallId, Message, MessageId } from './content.ts'
import { SideloopError } from './errors.ts'
import { misfitOfEvent } from './event-shape.ts'
import type { EventOf, EventType, RequestHeader, SessionEvent, SessionEventData, SessionHeader, SurfacePlace } from './events.ts'
import { isKnownEventType, isSurfaceEvent } from './events.ts'
import { freezeJson } from './lossless-json.ts'
import { readSessionHeader } from './session-header.ts'
import { snapshotView } from './snapshot-view.ts'
import { readStoredEvents } from './stored-events.ts'
import { createSurface } from './surface.ts'
import { checkReplacedResult, checkSources, readPlace } from './surface-place.ts'

export type SessionLog = {
  readonly header: SessionHeader
  readonly length: number
  at(seq: number): SessionEvent | undefined
  /** A snapshot of fixed length; reading it copies nothing. */
  events(): readonly SessionEvent[]
  /** `time` is for repair only; otherwise the clock's. Errors: `session/invalid`, before anything is stored or notified. */
  append<T extends EventType>(type: T, data: SessionEventData[T], place?: SurfacePlace, time?: number): EventOf<T>
  deriveMessages(): readonly Message[]
  surfaceSeqs(): readonly number[]
  requestHeader(): RequestHeader | undefined
  /** The number of the newest turn, 0 before the first. */
  readonly lastTurn: number
  readonly turnOpen: boolean
  /** Are observers being told of an event right now? Then nothing can be appended. */
  readonly notifying: boolean
  /** Is a message with this id in the log? */
  hasMessage(id: MessageId): boolean
  /** The seq of the `tool/call` with this id. */
  callSeq(id: CallId): number | undefined
}

export type SessionLogOptions = {
  readonly header: SessionHeader
  readonly now: () => number
  /** Events of an earlier life: they are checked and frozen, and nobody is notified. */
  readonly seed?: Iterable<SessionEvent>
  /** Called after the commit. It must not throw, and an append from inside it is refused. */
  readonly onEvent?: (event: SessionEvent) => void
}

const invalid = (message: string): never => {
  throw new SideloopError('session/invalid', message)
}

export const createSessionLog = (options: SessionLogOptions): SessionLog => {
  const { now, onEvent } = options
  const sessionHeader = readSessionHeader(options.header)
  const list: SessionEvent[] = []
  const surface = createSurface()
  const messageIds = new Set<MessageId>()
  const calls = new Map<CallId, number>()
  let view: readonly SessionEvent[] | undefined
  let header: RequestHeader | undefined
  let lastTurn = 0
  let turnOpen = false
  let notifying = false

  const index = (event: SessionEvent): void => {
    switch (event.type) {
      case 'turn/start':
        lastTurn = event.data.turn
        turnOpen = true
        break
      case 'turn/end':
        turnOpen = false
        break
      case 'user/message':
      case 'prompt/blocked':
      case 'steering/message':
        messageIds.add(event.data.id)
        break
      case 'tool/call':
        calls.set(event.data.callId, event.seq)
        break
      case 'request/header':
        header = event.data.header
        break
    }
  }

  /** Whatever can be wrong is found before the first change. */
  const commit = (event: SessionEvent): void => {
    if (isSurfaceEvent(event)) {
      checkSources(event)
      checkReplacedResult(event, list)
      surface.place(surface.plan(event))
    }
    list.push(event)
    view = undefined
    index(event)
  }

  const notify = (event: SessionEvent): void => {
    if (onEvent === undefined) return
    notifying = true
    try {
      onEvent(event)
    } finally {
      notifying = false
    }
  }

  for (const event of readStoredEvents(options.seed ?? [], 0)) commit(event)

  return {
    header: sessionHeader,
    get length() {
      return list.length
    },
    at: (seq) => list[seq],
    events() {
      view ??= snapshotView(list, list.length)
      return view
    },
    append<T extends EventType>(type: T, given: SessionEventData[T], givenPlace?: SurfacePlace, givenTime?: number): EventOf<T> {
      if (!isKnownEventType(type)) return invalid(`Unknown event type "${String(type)}"`)
      const data = freezeJson(given, type)
      const misfit = misfitOfEvent(type, data)
      if (misfit !== undefined) return invalid(`This ${type} has no valid "${misfit}"`)
      const place = readPlace(type, givenPlace)
      const time = givenTime ?? now()
      if (!Number.isFinite(time)) return invalid(`The clock gave ${String(time)}: it must give epoch milliseconds`)
      // Reading what was given may run foreign code; from here on none does.
      if (notifying) return invalid('An event cannot be appended from inside a session/event listener: send or steer instead')
      const seq = list.length
      const event = Object.freeze(place === undefined ? { type, seq, time, data } : { type, seq, time, data, ...place }) as EventOf<T>
      commit(event as EventOf<EventType>)
      notify(event as EventOf<EventType>)
      return event
    },
    deriveMessages: () => surface.messages(),
    surfaceSeqs: () => surface.seqs(),
    requestHeader: () => header,
    get lastTurn() {
      return lastTurn
    },
    get turnOpen() {
      return turnOpen
    },
    get notifying() {
      return notifying
    },
    hasMessage: (id) => messageIds.has(id),
    callSeq: (id) => calls.get(id),
  }
}
