// One view of a session, of a page here or in another tab: frames of events, the next only after the last was acknowledged.
import type { CallId, Json } from '../../../storage/log/content.ts'
import { jsonEqual } from '../../../storage/log/lossless-json.ts'
import type { Session } from '../../hooks/agent.ts'
import type { LiveState, WatchFrame } from '../../protocol/frames.ts'
import type { Feed } from '../tabs/driver.ts'

/** At most one message per animation frame's time. */
const FRAME_MS = 16
/** So that one frame never takes the page long to read. */
const MAX_EVENTS = 1000

export type WatchSource = {
  readonly session: Pick<Session, 'events'>
  readonly show: (frame: WatchFrame) => void
  /** Frames begin behind this seq; −1 for all. */
  readonly after: number
  stored(): number
  live(): LiveState
  readonly onStop?: () => void
}

export type Watch = Feed & {
  /** There may be something new. */
  touch(): void
  progress(callId: CallId, data: Json): void
}

export const startWatch = ({ session, show, after, stored, live, onStop }: WatchSource): Watch => {
  let next = after + 1
  let sentStored = -1
  let sentLive: LiveState | undefined
  let progress = new Map<CallId, Json>()
  let waitingForAck = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastSent = 0
  let stopped = false

  const frame = (): WatchFrame | undefined => {
    const events = session.events.slice(next, next + MAX_EVENTS)
    const state = live()
    const changed = !jsonEqual(state, sentLive)
    if (events.length === 0 && !changed && progress.size === 0 && stored() === sentStored) return undefined
    sentStored = stored()
    sentLive = state
    next += events.length
    const notes = [...progress].map(([callId, data]) => ({ callId, data }))
    progress = new Map()
    return { events, stored: sentStored, ...(changed ? { live: state } : {}), ...(notes.length === 0 ? {} : { progress: notes }) }
  }

  const send = (): void => {
    timer = undefined
    if (stopped || waitingForAck) return
    const message = frame()
    if (message === undefined) return
    waitingForAck = true
    lastSent = performance.now()
    show(message)
  }

  const touch = (): void => {
    if (timer !== undefined || waitingForAck || stopped) return
    timer = setTimeout(send, Math.max(0, FRAME_MS - (performance.now() - lastSent)))
  }

  send() // at once: an opened session shows without delay

  return {
    touch,
    progress(callId, data) {
      progress.set(callId, data)
      touch()
    },
    ack() {
      waitingForAck = false
      touch()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      onStop?.()
    },
  }
}
