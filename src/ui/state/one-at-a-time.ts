// Looks something up again whenever it is asked to, with one look under way at a time.

/** Whoever asks during a look shares the one after it: that one has seen what they ask about. `look` never rejects. */
export const oneAtATime = (look: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = (): Promise<void> => {
    next = undefined
    running = look().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (running === undefined) return start()
    next ??= running.then(start)
    return next
  }
}
