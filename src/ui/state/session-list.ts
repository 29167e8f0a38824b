// The list of sessions: loaded from the worker, renamed, and deleted with some seconds to think again.
import type { ReadonlySignal } from '@preact/signals'
import { computed, signal } from '@preact/signals'
import type { AgentClient, SessionSummary } from './agent-client.ts'
import type { Keepsakes } from './keepsakes.ts'
import type { Notices } from './notices.ts'
import { sayFailure } from './say-failure.ts'

export type Listing =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly sessions: readonly SessionSummary[] }
  | { readonly kind: 'failed'; readonly message: string }

export type SessionList = {
  readonly listing: ReadonlySignal<Listing>
  refresh(): Promise<void>
  rename(id: string, title: string): Promise<void>
  /** Hides it now, and removes it after `UNDO_MS` unless it is undone. */
  remove(session: SessionSummary): void
  /** Removes what was hidden when the page was left before its time was over. */
  finishRemovals(): Promise<void>
}

export const UNDO_MS = 6000
const PENDING = 'pending-removals'

type Needs = { readonly client: AgentClient; readonly keepsakes: Keepsakes; readonly notices: Notices }

export const createSessionList = ({ client, keepsakes, notices }: Needs): SessionList => {
  const loaded = signal<Listing>({ kind: 'loading' })
  const hidden = signal<ReadonlySet<string>>(new Set((keepsakes.get(PENDING) ?? '').split(' ').filter((id) => id !== '')))

  const hide = (ids: ReadonlySet<string>): void => {
    hidden.value = ids
    keepsakes.set(PENDING, [...ids].join(' ')) // so that leaving the page does not bring it back
  }
  const refresh = async (): Promise<void> => {
    try {
      loaded.value = { kind: 'loaded', sessions: await client.sessions.list({ limit: 500 }) }
    } catch (error) {
      if (loaded.value.kind !== 'loaded') loaded.value = { kind: 'failed', message: sayFailure(error) }
    }
  }
  const reallyRemove = async (id: string): Promise<void> => {
    if (!hidden.value.has(id)) return // undone
    try {
      await client.sessions.remove(id)
    } catch (error) {
      notices.show({ kind: 'error', text: `The session was not deleted. ${sayFailure(error)}` })
    }
    await refresh()
    hide(new Set([...hidden.value].filter((other) => other !== id)))
  }
  const listing = computed<Listing>(() => {
    const now = loaded.value
    return now.kind === 'loaded' ? { kind: 'loaded', sessions: now.sessions.filter((session) => !hidden.value.has(session.id)) } : now
  })

  return {
    listing,
    refresh,
    async rename(id, title) {
      try {
        await client.sessions.rename(id, title)
      } catch (error) {
        notices.show({ kind: 'error', text: `The session keeps its name. ${sayFailure(error)}` })
      }
      await refresh()
    },
    remove(session) {
      hide(new Set([...hidden.value, session.id]))
      const timer = setTimeout(() => {
        notices.dismiss(notice)
        void reallyRemove(session.id)
      }, UNDO_MS)
      const undo = () => {
        clearTimeout(timer)
        hide(new Set([...hidden.value].filter((id) => id !== session.id)))
        notices.dismiss(notice)
      }
      const notice = { kind: 'plain', text: `Deleted “${session.title}”.`, act: { label: 'Undo', run: undo } } as const
      notices.show(notice)
    },
    async finishRemovals() {
      for (const id of hidden.value) await reallyRemove(id)
    },
  }
}
