// Removing a session with all that is its own: its files, its blobs, and the sessions of the helpers that its runs had.
import type { SessionId } from '../../storage/log/content.ts'
import type { SessionRow } from '../../storage/session-store.ts'
import type { Stores } from '../../storage/stores.ts'

/** Made by a run for a piece of its work: seen through its parent, and gone with it. Not so a fork, which stands for itself. */
export const isHelper = ({ header }: SessionRow): boolean => (header?.depth ?? 0) > 0

type Removed = Pick<Stores, 'sessions' | 'whole'>

/** Nobody may drive it meanwhile. */
export const removeWithHelpers = async (stores: Removed, id: SessionId): Promise<void> => {
  const helpers = (await stores.sessions.list({})).filter((row) => isHelper(row) && row.header.parentSession === id)
  for (const helper of helpers) await removeWithHelpers(stores, helper.id)
  await stores.whole.remove(id)
}
