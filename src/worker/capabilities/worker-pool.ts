// Nested workers that work one at a time: started when first needed, kept for the next, given in turns when there are enough of them.

/** A worker as a pool sees it. */
export type PooledWorker = {
  /** False once it was ended: it is not kept. */
  readonly isAlive: boolean
  /** What it does is rejected. */
  end(): void
}

export interface WorkerPool<W extends PooledWorker> {
  /** Waits for a turn. Errors: the signal's reason when aborted before that; what `work` throws. */
  use<T>(work: (worker: W) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Ends every worker at once. */
  dispose(): void
}

/** `most`: how many work at the same time. */
export const createWorkerPool = <W extends PooledWorker>(start: () => W, most: number): WorkerPool<W> => {
  const idle: W[] = []
  const busy = new Set<W>()
  const queue: (() => void)[] = []
  let turns = 0

  /** A turn is taken here, in the same tick, and handed on by `giveTurn`. */
  const takeTurn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (turns < most) {
        turns += 1
        resolve()
        return
      }
      const next = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        queue.splice(queue.indexOf(next), 1)
        reject(signal.reason)
      }
      queue.push(next)
      signal.addEventListener('abort', leave, { once: true })
    })
  const giveTurn = (): void => {
    const next = queue.shift()
    if (next === undefined) turns -= 1
    else next()
  }

  return {
    async use(work, signal) {
      signal.throwIfAborted()
      await takeTurn(signal)
      try {
        const worker = idle.pop() ?? start()
        busy.add(worker)
        try {
          return await work(worker)
        } finally {
          busy.delete(worker)
          if (worker.isAlive) idle.push(worker)
        }
      } finally {
        giveTurn()
      }
    },
    dispose() {
      for (const worker of [...idle.splice(0), ...busy]) worker.end()
    },
  }
}
