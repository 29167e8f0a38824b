// One session's log: append, validate, freeze, number. The log is the only truth; what is indexed here is a fold that advances with it.
import type { CallId, Message, MessageId } from './content.ts'
import { SideloopError } from './errors.ts'
import type { EventOf, EventType, RequestHeader, SessionEvent, SessionEventData, SessionHeader, SurfacePlace } from './events.ts'
import { EVENT_TYPES, isKnownEventType, isSurfaceEvent } from './events.ts'
import { freezeJson, markFrozen } from './lossless-json.ts'
import { readSessionHeader } from './session-header.ts'
import { snapshotView } from './snapshot-view.ts'
import { createSurface } from './surface.ts'

export type SessionLog = {
  readonly header: SessionHeader
  readonly length: number
  at(seq: number): SessionEvent | undefined
  /** A snapshot of fixed length; reading it copies nothing. */
  events(): readonly SessionEvent[]
  /** `time` is for repair only; otherwise the clock's. Errors: `session/invalid`, before anything is stored or notified. */
  append<T extends EventType>(type: T, data: SessionEventData[T], surface?: SurfacePlace, time?: number): EventOf<T>
  deriveMessages(): readonly Message[]
  surfaceSeqs(): readonly number[]
  requestHeader(): RequestHeader | undefined
  /** The number of the newest turn, 0 before the first. */
  readonly lastTurn: number
  readonly turnOpen: boolean
  /** Is a message with this id in the log? */
  hasMessage(id: MessageId): boolean
  hasCall(id: CallId): boolean
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

const checkSources = (seqs: readonly number[], seq: number, mayBeEmpty: boolean): void => {
  if (seqs.length === 0 && !mayBeEmpty) invalid('sourceEventSeqs must not be empty')
  let previous = -1
  let ascending = true
  for (const source of seqs) {
    if (!Number.isInteger(source) || source < 0 || source >= seq) invalid(`sourceEventSeqs must name earlier events; ${source} is none`)
    if (source <= previous) ascending = false
    previous = source
  }
  if (!ascending && new Set(seqs).size !== seqs.length) invalid('sourceEventSeqs must be unique')
}

const checkPlace = (type: EventType, seq: number, surface: SurfacePlace | undefined): void => {
  const onSurface = EVENT_TYPES[type] === 'surface'
  if (surface?.surfaceOp === undefined) {
    if (onSurface) invalid(`${type} is seen by the model: it needs a surfaceOp`)
    if (surface?.sourceEventSeqs !== undefined) invalid(`${type} is not on the surface: it takes no sourceEventSeqs`)
    return
  }
  if (!onSurface) invalid(`${type} is not on the surface: it takes no surfaceOp`)
  if (surface.sourceEventSeqs !== undefined) checkSources(surface.sourceEventSeqs, seq, type === 'assistant/message')
}

export const createSessionLog = (options: SessionLogOptions): SessionLog => {
  const { now, onEvent } = options
  const sessionHeader = readSessionHeader(options.header)
  const list: SessionEvent[] = []
  const surface = createSurface()
  const messageIds = new Set<MessageId>()
  const callIds = new Set<CallId>()
  let view: readonly SessionEvent[] | undefined
  let header: RequestHeader | undefined
  let lastTurn = 0
  let turnOpen = false
  let notifying = false

  const index = (event: SessionEvent): void => {
    if (isSurfaceEvent(event)) surface.place(event)
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
        callIds.add(event.data.callId)
        break
      case 'request/header':
        header = event.data.header
        break
    }
  }

  const commit = (event: SessionEvent): void => {
    checkPlace(event.type, event.seq, isSurfaceEvent(event) ? event : undefined)
    if (isSurfaceEvent(event)) {
      surface.check(event)
      const cited = event.sourceEventSeqs?.[0]
      if (event.type === 'tool/result' && event.surfaceOp !== 'append' && (cited === undefined || list[cited]?.type !== 'tool/call')) {
        invalid('A tool/result that replaces must cite its tool/call first')
      }
    }
    list.push(event)
    view = undefined
    index(event)
  }

  for (const stored of options.seed ?? []) {
    if (!isKnownEventType(stored.type) && (stored as SessionEvent).optional === true) {
      list.push(freezeJson(stored))
      continue
    }
    if (!isKnownEventType(stored.type))
      invalid(`This log holds an event of type "${String((stored as SessionEvent).type)}", which this version cannot read`)
    if (stored.seq !== list.length) invalid(`This log has a gap: event ${list.length} is missing, ${stored.seq} stands in its place`)
    commit(freezeJson(stored))
  }

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
    append(type, data, place, time) {
      if (notifying) invalid('An event cannot be appended from inside a session/event listener: send or steer instead')
      if (!isKnownEventType(type)) invalid(`Unknown event type "${String(type)}"`)
      const seq = list.length
      if (EVENT_TYPES[type] === 'plain' && place !== undefined) checkPlace(type, seq, place)
      const envelope = { type, seq, time: time ?? now(), data: freezeJson(data, type), ...(place && freezeJson(place, type)) }
      const event = markFrozen(envelope) as EventOf<typeof type>
      commit(event as SessionEvent)
      if (onEvent) {
        notifying = true
        try {
          onEvent(event as SessionEvent)
        } finally {
          notifying = false
        }
      }
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
    hasMessage: (id) => messageIds.has(id),
    hasCall: (id) => callIds.has(id),
  }
}
