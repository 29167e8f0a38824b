// Work that may not listen to a signal, left as soon as that is aborted.

/** What the work gives or throws, or the signal's reason if that comes first. Nothing is stopped by it. */
export const orAborted = <T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return Promise.resolve(work)
  return new Promise<T>((resolve, reject) => {
    const leave = (settle: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    const onAbort = (): void => leave(() => reject(signal.reason))
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(
      (value) => leave(() => resolve(value)),
      (error: unknown) => leave(() => reject(error)),
    )
    if (signal.aborted) onAbort()
  })
}
