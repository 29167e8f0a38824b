// The page's end of a watch: frames in order, each acknowledged once it was applied, and another worker asked when this one died.

import type { SessionId } from '../../storage/log/content.ts'
import { messageOf, SideloopError } from '../../storage/log/errors.ts'
import type { WatchFrame, WatchReply } from '../protocol/frames.ts'
import type { WorkerLink } from './worker-link.ts'

export type SessionWatch = {
  /** Resolves with the first frame. Errors: those of the host's `log.watch`. */
  readonly started: Promise<void>
  stop(): void
}

export type Watcher = {
  /**
   * From which seq on to ask a worker; −1 for all. Asked for each worker anew: what a page had seen of a dead one's log beyond what was
   * stored is gone, and other events stand there.
   */
  readonly after: () => number
  /** May give a promise: the next frame is asked for when it is done. */
  readonly onFrame: (frame: WatchFrame) => void | Promise<void>
}

const closedBy = (thrown: unknown): WatchFrame => ({
  events: [],
  stored: 0,
  closed: { code: thrown instanceof SideloopError ? thrown.code : 'internal', message: messageOf(thrown) },
})

export const watchSession = (link: WorkerLink, sessionId: SessionId, { after, onFrame }: Watcher): SessionWatch => {
  let port: MessagePort | undefined
  let stopped = false

  const reply = (to: MessagePort, kind: WatchReply['kind']): void => to.postMessage({ kind } satisfies WatchReply)

  /** What keeps the session closed is told; a worker that dies at once again is told by the link's health. */
  const reconnect = (): void => {
    connect().catch((error) => {
      if (!stopped && link.health.kind === 'ready') void onFrame(closedBy(error))
    })
  }

  const connect = async (): Promise<void> => {
    port?.close()
    const { port1, port2 } = new MessageChannel()
    port = port1
    const first = new Promise<void>((resolve) => {
      port1.onmessage = async ({ data }: MessageEvent<WatchFrame>) => {
        if (stopped || port !== port1) return
        if (data.again) return reconnect()
        await onFrame(data)
        reply(port1, 'ack')
        resolve()
      }
    })
    await link.host.log.watch({ sessionId, after: after(), port: port2 })
    await first
  }

  const started = connect()
  const offHealth = link.onHealth((health) => {
    if (health.kind === 'ready') reconnect()
  })

  return {
    started,
    stop() {
      stopped = true
      offHealth()
      if (port === undefined) return
      reply(port, 'close')
      port.close()
    },
  }
}
