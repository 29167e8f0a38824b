// What the browser says of the room it gives this page, and whether it keeps the data for good. Only a page may ask for that.

/** Bytes of everything that this origin stores. A field is undefined where the browser does not say. */
export type StorageReport = {
  readonly usage: number | undefined
  readonly quota: number | undefined
  /** False: the browser may remove the data by itself when the disk gets full, or when the page was not visited for long. */
  readonly persisted: boolean | undefined
}

export interface ClientStorage {
  estimate(): Promise<StorageReport>
  /** Asks the browser to keep the data for good, which may ask the person. What it decided; undefined where it cannot be asked. */
  persist(): Promise<boolean | undefined>
}

/** `navigator.storage`, as far as there is one: an insecure origin has none, and some browsers have not all of it. */
export type StorageManagerLike = {
  readonly estimate?: () => Promise<{ readonly usage?: number; readonly quota?: number }>
  readonly persisted?: () => Promise<boolean>
  readonly persist?: () => Promise<boolean>
}

/** Private windows and sandboxed pages refuse: then nothing is known. */
const known = async <T>(ask: () => Promise<T> | undefined): Promise<T | undefined> => {
  try {
    return await ask()
  } catch {
    return undefined
  }
}

export const clientStorage = (manager: StorageManagerLike | undefined = globalThis.navigator?.storage): ClientStorage => ({
  async estimate() {
    const [room, persisted] = await Promise.all([known(() => manager?.estimate?.()), known(() => manager?.persisted?.())])
    return { usage: room?.usage, quota: room?.quota, persisted }
  },
  persist: () => known(() => manager?.persist?.()),
})
