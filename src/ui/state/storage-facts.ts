// How much room this browser gives, how much is used, and whether it keeps the data for good: as honestly as browsers tell it.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { AgentClient, StorageReport } from './agent-client.ts'

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

/** Less than a tenth is left, or less than 50 MB. */
export const isLow = ({ usage, quota }: StorageReport): boolean =>
  usage !== undefined && quota !== undefined && quota - usage < Math.min(quota / 10, 50 * 1024 * 1024)
