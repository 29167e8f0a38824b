// What every storage suite is given: the ports of two tabs over the same data, and a way to run out of room.
import type { Stores } from '../../src/storage/stores.ts'

export type StorageUnderTest = {
  readonly here: Stores
  /** The same data as another tab sees it. */
  readonly there: Stores
  /** From now on there is no room for more. */
  fill(): Promise<void>
  makeRoom(): Promise<void>
  /** Ends both and removes the data. */
  end(): Promise<void>
}
export type StorageHarness = { readonly name: string; open(): Promise<StorageUnderTest> }
