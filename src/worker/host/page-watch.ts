// A page's watch: the port to the page stays while the driver of the session changes behind it.
import type { SideloopError } from '../../storage/log/errors.ts'
import { toWireError } from '../client/error-transfer.ts'
import type { WatchFrame, WatchReply } from '../protocol/frames.ts'
import type { Driver, Errand, Feed } from './driver.ts'

export type PageWatch = Errand & {
  /** Has it been with a driver? */
  readonly begun: boolean
}

/** `onEnd`: the page looks no longer, or has to ask anew. */
export const pageWatch = (port: MessagePort, after: number, onEnd: () => void): PageWatch => {
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
      if (next > stored)
        last({ again: true }) // what the last driver showed may never have been stored
      else if (waitingForAck) following = driver
      else follow(driver)
    },
    fail(error: SideloopError) {
      last({ closed: toWireError(error) })
    },
  }
}
