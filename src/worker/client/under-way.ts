// What takes its time in the worker, as a page holds it: with a signal and a function, neither of which crosses the boundary.
import type { AgentHost, CopyUnderWay } from '../protocol/agent-host.ts'

export type UnderWayOptions = {
  /** Ends it before its time; nothing of it is then kept. */
  readonly signal?: AbortSignal
  /** How far it is, from 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** Rejects with the signal's reason when that ended it. */
export const underWay = async <T>(
  host: Pick<AgentHost, 'sessions'>,
  { signal, onProgress }: UnderWayOptions,
  command: (under: CopyUnderWay) => Promise<T>,
): Promise<T> => {
  if (signal === undefined && onProgress === undefined) return command({})
  signal?.throwIfAborted()
  const attempt = crypto.randomUUID()
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent<number>) => onProgress?.(data)
  const stop = (): void => void host.sessions.stop({ attempt }).catch(() => {}) // a worker that is gone has stopped
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await command({ attempt, progress: port2 })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    port1.close()
  }
}
