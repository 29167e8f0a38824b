// How much room this browser gives, how much is used, and whether it keeps the data for good: as honestly as browsers tell it.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { AgentClient, StorageReport } from './agent-client.ts'
import type { Notices } from './notices.ts'

/** What came of asking the browser to keep the data. */
export type Asked = 'not yet' | 'asking' | 'kept' | 'refused' | 'unknown'

export type StorageFacts = {
  /** Undefined until they are looked up for the first time. */
  readonly report: ReadonlySignal<StorageReport | undefined>
  readonly asked: ReadonlySignal<Asked>
  look(): Promise<void>
  /** Asks the browser to keep the data for good. */
  persist(): Promise<void>
}

export const createStorageFacts = ({ storage }: Pick<AgentClient, 'storage'>): StorageFacts => {
  const report = signal<StorageReport | undefined>(undefined)
  const asked = signal<Asked>('not yet')
  const look = async (): Promise<void> => {
    report.value = await storage.estimate()
  }
  return {
    report,
    asked,
    look,
    async persist() {
      if (asked.value === 'asking') return
      asked.value = 'asking'
      const answer = await storage.persist()
      asked.value = answer === undefined ? 'unknown' : answer ? 'kept' : 'refused'
      await look()
    },
  }
}

/** Nobody did it, and nothing brings it back: it is said once, and stays until it is dismissed. */
export const sayDataLoss = ({ news }: Pick<AgentClient, 'news'>, notices: Notices): (() => void) =>
  news.subscribe((about) => {
    if (about === 'data-loss')
      notices.show({
        kind: 'error',
        text: 'The browser found its database damaged and had to begin an empty one. The sessions, files and keys that were saved here are gone. Sessions that you have exported can be imported again.',
      })
  })

/** Bytes that are left, as far as the browser says. */
export const roomLeft = ({ usage, quota }: StorageReport): number | undefined =>
  usage === undefined || quota === undefined ? undefined : Math.max(0, quota - usage)

/** Less than a tenth is left, or less than 50 MB. */
export const isLow = ({ usage, quota }: StorageReport): boolean =>
  usage !== undefined && quota !== undefined && quota - usage < Math.min(quota / 10, 50 * 1024 * 1024)
