// How a page learns that its worker is dead: the worker holds a lock as long as it lives, and the page waits for that lock. A browser
// tells nothing else: a worker that ends itself or is killed fires no event, and its ports close without a word.

/** `ended` resolves when the worker is gone; never where there are no locks, or when `stop` was called first. */
export type Lifeline = { readonly ended: Promise<void>; stop(): void }

/** `name`: of the lock, as the worker told it; undefined when it has none. */
export const followLife = (name: string | undefined, locks: LockManager | undefined = globalThis.navigator?.locks): Lifeline => {
  const controller = new AbortController()
  const never = new Promise<never>(() => {})
  const ended =
    name === undefined || locks === undefined ? never : locks.request(name, { signal: controller.signal }, () => {}).catch(() => never)
  return { ended, stop: () => controller.abort() }
}
