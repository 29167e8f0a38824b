// A page's watch: the port to the page stays while the driver of the session changes behind it. Loaded with the first watch.
import type { SessionId } from '../../../storage/log/content.ts'
import type { SideloopError } from '../../../storage/log/errors.ts'
import { toWireError } from '../../client/error-transfer.ts'
import type { WatchFrame, WatchReply } from '../../protocol/frames.ts'
import type { OpenSessions } from '../open-sessions.ts'
import type { Driver, Errand, Feed } from '../tabs/driver.ts'

/** So long the driver may be silent before what is stored is shown without it, in milliseconds. */
const SILENT_MS = 1000

type PageWatch = Errand & {
  /** Has it been with a driver? */
  readonly begun: boolean
}

/** `onEnd`: the page looks no longer, or has to ask anew. */
const pageWatch = (port: MessagePort, after: number, onEnd: () => void): PageWatch => {
  let next = after + 1
  /** Everything below is in every driver's log. */
  let stored = next
  let feed: Feed | undefined
  let waitingForAck = false
  let following: Driver | undefined
  let begun = false

  const end = (): void => {
    feed?.stop()
    port.close()
    onEnd()
  }

  const last = (frame: Pick<WatchFrame, 'again' | 'closed'>): void => {
    port.postMessage({ events: [], stored, ...frame } satisfies WatchFrame)
    end()
  }

  const show = (frame: WatchFrame): void => {
    next += frame.events.length
    stored = Math.max(stored, frame.stored)
    waitingForAck = true
    port.postMessage(frame)
  }

  const follow = (driver: Driver): void => {
    following = undefined
    feed = driver.watch(next - 1, show)
  }

  port.onmessage = ({ data }: MessageEvent<WatchReply>) => {
    if (data.kind === 'close') return end()
    waitingForAck = false
    if (following !== undefined) follow(following)
    else feed?.ack()
  }

  return {
    get begun() {
      return begun
    },
    go(driver) {
      begun = true
      feed?.stop()
      feed = undefined
      // What the last driver showed beyond what was stored may be in no other log.
      if (next > stored) last({ again: true })
      else if (waitingForAck) following = driver
      else follow(driver)
    },
    fail(error: SideloopError) {
      last({ closed: toWireError(error) })
    },
  }
}

export type WatchOfPage = {
  readonly sessionId: SessionId
  readonly port: MessagePort
  /** Frames begin behind this seq; −1 for all. */
  readonly after: number
}

/**
 * Resolves when somebody serves it. `silent`: who shows the session while its driver does not answer, if anybody can.
 * Errors: those of opening the session.
 */
export const watchForPage = (
  sessions: OpenSessions,
  { sessionId, port, after }: WatchOfPage,
  silent: () => Promise<Driver | undefined>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const watch = pageWatch(port, after, () => leave())
    const go = (driver: Driver): void => {
      clearTimeout(timer)
      watch.go(driver)
      resolve()
    }
    const timer = setTimeout(async () => {
      const driver = await silent().catch(() => undefined) // what is wrong is told by opening it, if that comes to an end
      if (driver !== undefined && !watch.begun) go(driver)
    }, SILENT_MS)
    const leave = sessions.add(sessionId, {
      go,
      fail(error) {
        clearTimeout(timer)
        if (watch.begun) watch.fail(error)
        else reject(error)
      },
    })
  })
