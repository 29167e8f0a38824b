// The page's end of a watch: frames in order, each acknowledged once it was applied, and another worker asked when this one died.
import type { SessionId } from '../../storage/log/content.ts'
import type { WatchFrame, WatchReply } from '../protocol/frames.ts'
import type { WorkerLink } from './worker-link.ts'

export type SessionWatch = {
  /** Resolves with the first frame. Errors: those of the host's `log.watch`. */
  readonly started: Promise<void>
  stop(): void
}

/** `onFrame` may give a promise: the next frame is asked for when it is done. */
export const watchSession = (
  link: WorkerLink,
  sessionId: SessionId,
  after: number,
  onFrame: (frame: WatchFrame) => void | Promise<void>,
): SessionWatch => {
  let last = after
  let port: MessagePort | undefined
  let stopped = false

  const reply = (to: MessagePort, kind: WatchReply['kind']): void => to.postMessage({ kind } satisfies WatchReply)

  const connect = async (): Promise<void> => {
    port?.close()
    const { port1, port2 } = new MessageChannel()
    port = port1
    const first = new Promise<void>((resolve) => {
      port1.onmessage = async ({ data }: MessageEvent<WatchFrame>) => {
        if (stopped || port !== port1) return
        last = data.events.at(-1)?.seq ?? last
        await onFrame(data)
        reply(port1, 'ack')
        resolve()
      }
    })
    // Told where the browser knows it (Chromium): the other end is gone, and perhaps its worker with it.
    port1.addEventListener('close', () => {
      if (!stopped && port === port1) link.suspect()
    })
    await link.host.log.watch({ sessionId, after: last, port: port2 })
    await first
  }

  const started = connect()
  const offHealth = link.onHealth((health) => {
    // A new worker took over: it is asked from the last event that this page has.
    if (health.kind === 'ready') connect().catch(() => {}) // a worker that fails again is told by the link's health
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
