// A gate: the other side says when it got there, the test says when it may go on. What tests use in place of sleeping.

export type Gate = {
  readonly kind: 'gate'
  /** Settles when something has come to the gate. */
  readonly reached: Promise<void>
  /** Settles when the test has opened it. */
  readonly opened: Promise<void>
  readonly isOpen: boolean
  open(): void
  /** For the side that waits: says that it is here. */
  arrive(): void
}

export const gate = (): Gate => {
  let opened = false
  let markReached = () => {}
  let markOpened = () => {}
  const reachedPromise = new Promise<void>((resolve) => {
    markReached = resolve
  })
  const openedPromise = new Promise<void>((resolve) => {
    markOpened = resolve
  })
  return {
    kind: 'gate',
    reached: reachedPromise,
    opened: openedPromise,
    get isOpen() {
      return opened
    },
    open() {
      opened = true
      markOpened()
    },
    arrive() {
      markReached()
    },
  }
}

/** Waits for `promise`, but rejects with the signal's reason as soon as it is aborted. */
export const orAbort = <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(abortReason(signal))
    if (signal.aborted) {
      onAbort()
      return
    }
    signal.addEventListener('abort', onAbort, { once: true })
    const leave = () => signal.removeEventListener('abort', onAbort)
    promise.then(
      (value) => {
        leave()
        resolve(value)
      },
      (error: unknown) => {
        leave()
        reject(error)
      },
    )
  })
}

export const abortReason = (signal: AbortSignal): unknown => signal.reason ?? new DOMException('The call was aborted.', 'AbortError')
