// Small things that this browser remembers for the page: drafts, the look, the session that was open. Never what belongs to a log.

export interface Keepsakes {
  get(name: string): string | undefined
  /** An empty value forgets it. */
  set(name: string, value: string): void
}

/** Over `localStorage`, or over nothing where a browser forbids it. */
export const browserKeepsakes = (storage: () => Storage): Keepsakes => {
  const fallback = new Map<string, string>()
  const attempt = <T>(action: (store: Storage) => T, otherwise: () => T): T => {
    try {
      return action(storage())
    } catch {
      return otherwise() // forbidden or full: remembered until the page is left
    }
  }
  return {
    get: (name) =>
      fallback.get(name) ??
      attempt(
        (store) => store.getItem(`sideloop.${name}`) ?? undefined,
        () => undefined,
      ),
    set(name, value) {
      const remember = () => void fallback.set(name, value)
      attempt((store) => (value === '' ? store.removeItem(`sideloop.${name}`) : store.setItem(`sideloop.${name}`, value)), remember)
    },
  }
}
