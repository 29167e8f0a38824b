// Finding a session by its title, as one types.
import type { ReadonlySignal } from '@preact/signals'
import { computed, effect, signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import type { AgentClient, SessionListed } from './agent-client.ts'
import type { Listing } from './session-list.ts'
import { LISTED } from './session-list.ts'

export type SessionSearch = {
  readonly text: ReadonlySignal<string>
  /** The field is there: somebody asked for it, or there is enough to search in. */
  readonly shown: ReadonlySignal<boolean>
  /** How often somebody asked for the field, which takes the focus then. */
  readonly asked: ReadonlySignal<number>
  /** The list without what does not match. */
  readonly found: ReadonlySignal<Listing>
  open(): void
  write(text: string): void
  /** Shows all again, and the field only where there is enough to search in. */
  clear(): void
  dispose(): void
}

/** So many sessions can be looked over without a search. */
const FEW = 6

type Needs = {
  readonly client: AgentClient
  readonly listing: ReadonlySignal<Listing>
  readonly hidden: ReadonlySignal<ReadonlySet<SessionId>>
}

export const createSessionSearch = ({ client, listing, hidden }: Needs): SessionSearch => {
  const text = signal('')
  const asked = signal(0)
  const opened = signal(false)
  /** What the worker found among those that are not listed. */
  const older = signal<readonly SessionListed[]>([])

  const found = computed<Listing>(() => {
    const now = listing.value
    const query = text.value.trim().toLowerCase()
    if (now.kind !== 'loaded' || query === '') return now
    const listed = new Set(now.sessions.map(({ id }) => id))
    const more = older.value.filter(({ id }) => !listed.has(id) && !hidden.value.has(id))
    return { kind: 'loaded', sessions: [...now.sessions, ...more].filter(({ title }) => title.toLowerCase().includes(query)) }
  })
  const askForOlder = async (query: string): Promise<void> => {
    const rows = await client.sessions.list({ query, limit: LISTED }).catch(() => []) // those that are listed are searched all the same
    if (text.peek().trim() === query) older.value = rows
  }
  const dispose = effect(() => {
    const query = text.value.trim()
    const all = listing.peek()
    if (query !== '' && all.kind === 'loaded' && all.sessions.length >= LISTED) void askForOlder(query)
  })

  return {
    text,
    asked,
    found,
    shown: computed(() => opened.value || text.value !== '' || (listing.value.kind === 'loaded' && listing.value.sessions.length > FEW)),
    open() {
      opened.value = true
      asked.value += 1
    },
    write(next) {
      text.value = next
    },
    clear() {
      text.value = ''
      opened.value = false
    },
    dispose,
  }
}
