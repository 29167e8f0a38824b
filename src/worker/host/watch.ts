// One page's view of one session: frames of events on a port, the next only after the last was acknowledged.
import type { CallId, Json } from '../../storage/log/content.ts'
import { jsonEqual } from '../../storage/log/lossless-json.ts'
import type { WireError } from '../client/error-transfer.ts'
import type { Session } from '../hooks/agent.ts'
import type { LiveState, WatchFrame, WatchReply } from '../protocol/frames.ts'

/** At most one message per animation frame's time. */
const FRAME_MS = 16
/** So that one frame never takes the page long to read. */
const MAX_EVENTS = 1000

export type WatchSource = {
  readonly session: Session
  readonly port: MessagePort
  /** Frames begin behind this seq; −1 for all. */
  readonly after: number
  stored(): number
  live(): LiveState
  readonly onClose: () => void
}

export type Watch = {
  /** There may be something new. */
  touch(): void
  progress(callId: CallId, data: Json): void
  /** The last frame: nothing follows. */
  close(error: WireError): void
}

export const startWatch = ({ session, port, after, stored, live, onClose }: WatchSource): Watch => {
  let next = after + 1
  let sentStored = -1
  let sentLive: LiveState | undefined
  let progress = new Map<CallId, Json>()
  let waitingForAck = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastSent = 0
  let closed = false

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
    if (closed || waitingForAck) return
    const message = frame()
    if (message === undefined) return
    waitingForAck = true
    lastSent = performance.now()
    port.postMessage(message)
  }

  const touch = (): void => {
    if (timer !== undefined || waitingForAck || closed) return
    timer = setTimeout(send, Math.max(0, FRAME_MS - (performance.now() - lastSent)))
  }

  const end = (): void => {
    closed = true
    clearTimeout(timer)
    port.close()
    onClose()
  }

  port.onmessage = ({ data }: MessageEvent<WatchReply>) => {
    if (data.kind === 'close') return end()
    waitingForAck = false
    touch()
  }
  send() // at once: an opened session shows without delay

  return {
    touch,
    progress(callId, data) {
      progress.set(callId, data)
      touch()
    },
    close(error) {
      if (closed) return
      port.postMessage({ events: [], stored: stored(), closed: error } satisfies WatchFrame)
      end()
    },
  }
}
