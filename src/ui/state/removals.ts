// Deleting with some seconds to think again. Several deletions in a row are one group, that one word brings back.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import type { AgentClient, SessionSummary } from './agent-client.ts'
import type { Keepsakes } from './keepsakes.ts'
import type { Notice, Notices } from './notices.ts'
import { codeOf, sayFailure } from './say-failure.ts'

export type Removals = {
  /** Deleted for the eye, and still stored. */
  readonly hidden: ReadonlySignal<ReadonlySet<SessionId>>
  /** Hides it now, and removes it `UNDO_MS` after the last one of its group, unless that is undone. */
  add(session: Named, onUndo?: () => void): void
  /** What was hidden when the page was left can be undone for as long again, and is then removed. `known`: what the list has. */
  resume(known: readonly Named[]): void
  dispose(): void
}

/** `turns`: when it was deleted. */
type Named = Pick<SessionSummary, 'id' | 'title' | 'turns'>

/** In milliseconds. */
export const UNDO_MS = 10_000
const PENDING = 'pending-removals'

type Needs = {
  readonly client: AgentClient
  readonly keepsakes: Keepsakes
  readonly notices: Notices
  readonly onRemoved: () => Promise<void>
}

export const createRemovals = ({ client, keepsakes, notices, onRemoved }: Needs): Removals => {
  /** What is to be removed is kept where all tabs see it: what another one took back is not removed here. */
  const pending = (): readonly SessionId[] => (keepsakes.get(PENDING) ?? '').split(' ').filter((id) => id !== '')
  const hidden = signal<ReadonlySet<SessionId>>(new Set(pending()))
  let group: readonly { readonly session: Named; readonly onUndo: (() => void) | undefined }[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let notice: Notice | undefined

  const hide = (ids: readonly SessionId[]): void => {
    hidden.value = new Set([...hidden.value, ...ids])
    keepsakes.set(PENDING, [...new Set([...pending(), ...ids])].join(' '))
  }
  const show = (ids: readonly SessionId[]): void => {
    hidden.value = new Set([...hidden.value].filter((id) => !ids.includes(id)))
    keepsakes.set(
      PENDING,
      pending()
        .filter((id) => !ids.includes(id))
        .join(' '),
    )
  }
  const close = () => {
    clearTimeout(timer)
    notices.dismiss(notice)
    const closed = group
    group = []
    notice = undefined
    return closed
  }
  const remove = async ({ id, title, turns }: Named, now: readonly Named[]): Promise<void> => {
    if (!pending().includes(id)) return // taken back in another tab
    if (now.some((session) => session.id === id && session.turns > turns)) {
      notices.show({ kind: 'plain', text: `“${title || 'Untitled'}” was kept: something was said in it after you deleted it.` })
      return
    }
    try {
      await client.sessions.remove(id)
    } catch (error) {
      if (codeOf(error) !== 'session/unknown') notices.show({ kind: 'error', text: `“${title}” was not deleted. ${sayFailure(error)}` })
    }
  }
  const removeAll = async (): Promise<void> => {
    const sessions = close().map(({ session }) => session)
    const now = await client.sessions.list({}).catch(() => []) // it is told by the removal
    for (const session of sessions) await remove(session, now)
    await onRemoved()
    show(sessions.map(({ id }) => id))
  }
  const undo = (): void => {
    const undone = close()
    show(undone.map(({ session }) => session.id))
    undone.at(-1)?.onUndo?.()
  }
  const offerUndo = (): void => {
    clearTimeout(timer)
    notices.dismiss(notice)
    const [first] = group
    const what = group.length === 1 ? `“${first?.session.title || 'Untitled'}”` : `${group.length} sessions`
    notice = { kind: 'plain', keeps: true, text: `Deleted ${what}.`, act: { label: 'Undo', run: undo } }
    notices.show(notice)
    timer = setTimeout(() => void removeAll(), UNDO_MS)
  }

  return {
    hidden,
    add(session, onUndo) {
      group = [...group, { session, onUndo }]
      hide([session.id])
      offerUndo()
    },
    resume(known) {
      const ids = pending()
      const there = known.filter(({ id }) => ids.includes(id))
      show(ids.filter((id) => !there.some((session) => session.id === id)))
      if (there.length === 0) return
      group = there.map((session) => ({ session, onUndo: undefined }))
      offerUndo()
    },
    dispose: () => clearTimeout(timer),
  }
}
