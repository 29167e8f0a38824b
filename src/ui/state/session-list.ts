// The list of sessions: loaded from the worker, renamed, and told anew when something changed.
import type { ReadonlySignal } from '@preact/signals'
import { computed, signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import { jsonEqual } from '../../storage/log/lossless-json.ts'
import type { AgentClient, SessionListed } from './agent-client.ts'
import type { Notices } from './notices.ts'
import { sayFailure } from './say-failure.ts'

export type Listing =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly sessions: readonly SessionListed[] }
  | { readonly kind: 'failed'; readonly message: string }

export type SessionList = {
  /** The newest `LISTED` without those that are being deleted. What did not change is the same object as before. */
  readonly listing: ReadonlySignal<Listing>
  /** The row of the session on the screen. */
  readonly row: ReadonlySignal<SessionListed | undefined>
  find(id: SessionId): SessionListed | undefined
  /** Those that are being deleted, too. */
  all(): readonly SessionListed[]
  refresh(): Promise<void>
  rename(id: SessionId, title: string): Promise<void>
}

/** How many are listed; a search asks the worker for more. */
export const LISTED = 500

type Needs = {
  readonly client: AgentClient
  readonly notices: Notices
  readonly hidden: ReadonlySignal<ReadonlySet<SessionId>>
  readonly currentId: ReadonlySignal<SessionId | undefined>
}

export const createSessionList = ({ client, notices, hidden, currentId }: Needs): SessionList => {
  const loaded = signal<Listing>({ kind: 'loading' })
  let asked = 0

  const refresh = async (): Promise<void> => {
    const question = ++asked
    try {
      const sessions = await client.sessions.list({ limit: LISTED })
      if (question === asked) loaded.value = keepSame(loaded.value, sessions)
    } catch (error) {
      if (loaded.value.kind !== 'loaded') loaded.value = { kind: 'failed', message: sayFailure(error) }
    }
  }
  const listing = computed<Listing>(() => {
    const now = loaded.value
    if (now.kind !== 'loaded' || !now.sessions.some(({ id }) => hidden.value.has(id))) return now
    return { kind: 'loaded', sessions: now.sessions.filter(({ id }) => !hidden.value.has(id)) }
  })
  const find = (id: SessionId | undefined): SessionListed | undefined => {
    const now = listing.value
    return now.kind === 'loaded' ? now.sessions.find((row) => row.id === id) : undefined
  }

  return {
    listing,
    row: computed(() => find(currentId.value)),
    find,
    all: () => (loaded.value.kind === 'loaded' ? loaded.value.sessions : []),
    refresh,
    async rename(id, title) {
      try {
        await client.sessions.rename(id, title)
      } catch (error) {
        notices.show({ kind: 'error', text: `The session keeps its name. ${sayFailure(error)}` })
      }
      await refresh()
    },
  }
}

/** A list that is looked up again every few seconds must not be drawn again each time. */
const keepSame = (before: Listing, sessions: readonly SessionListed[]): Listing => {
  if (before.kind !== 'loaded') return { kind: 'loaded', sessions }
  const known = new Map(before.sessions.map((row) => [row.id, row]))
  const rows = sessions.map((row) => {
    const same = known.get(row.id)
    return same !== undefined && jsonEqual(same, row) ? same : row
  })
  const isSame = rows.length === before.sessions.length && rows.every((row, at) => row === before.sessions[at])
  return isSame ? before : { kind: 'loaded', sessions: rows }
}
