// A call that hands its chunks to a callback, as a stream that whoever listens pulls from. Ends settled.
import type { Chunk } from '../../../storage/log/model-call.ts'

/**
 * Begins with the first pull. `work` is told to stop when the signal is aborted, and when nobody listens any more; what it emits from
 * then on is dropped, and it is waited for. What it throws is thrown.
 */
export async function* callStream(
  work: (emit: (chunk: Chunk) => void, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Chunk, void, undefined> {
  signal?.throwIfAborted()
  const dropped = new AbortController()
  const ending = signal === undefined ? dropped.signal : AbortSignal.any([signal, dropped.signal])
  let chunks: Chunk[] = []
  let wake = (): void => {}
  let over = false
  const emit = (chunk: Chunk): void => {
    if (ending.aborted) return
    chunks.push(chunk)
    wake()
  }
  const working = work(emit, ending).finally(() => {
    over = true
    wake()
  })
  working.catch(() => {}) // thrown below, or nobody listens any more
  try {
    while (!over || chunks.length > 0) {
      signal?.throwIfAborted()
      const ready = chunks
      chunks = []
      yield* ready
      if (ready.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    signal?.throwIfAborted()
    await working
  } finally {
    dropped.abort()
    await Promise.allSettled([working])
  }
}
