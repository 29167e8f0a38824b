// Work that a person can stop, and that nobody waits for once its place on the page is gone.
import { useEffect, useRef } from 'preact/hooks'

export type Stoppable = {
  /** Ends what was begun before, and gives the signal for what begins now. */
  begin(): AbortSignal
  stop(): void
}

export const useStoppable = (): Stoppable => {
  const running = useRef<AbortController | undefined>(undefined)
  const made = useRef<Stoppable | undefined>(undefined)
  made.current ??= {
    begin() {
      running.current?.abort()
      running.current = new AbortController()
      return running.current.signal
    },
    stop: () => running.current?.abort(),
  }
  const { stop } = made.current
  useEffect(() => stop, [stop])
  return made.current
}
