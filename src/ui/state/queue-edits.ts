// Waiting messages that are being changed: what was written is never lost, neither to a card that takes the place nor to the turn.
import type { ReadonlySignal } from '@preact/signals'
import { effect, signal } from '@preact/signals'
import type { MessageId, SessionId } from '../../storage/log/content.ts'
import type { AgentSession } from './agent-client.ts'
import type { CurrentSession } from './current-session.ts'
import type { Drafts } from './drafts.ts'
import type { Notices } from './notices.ts'
import { sayFailure } from './say-failure.ts'

export type QueueEdit = { readonly sessionId: SessionId; readonly before: string; readonly text: string }

export type QueueEdits = {
  readonly all: ReadonlySignal<ReadonlyMap<MessageId, QueueEdit>>
  begin(sessionId: SessionId, id: MessageId, text: string): void
  write(id: MessageId, text: string): void
  /** Ends it and leaves the message as it was. */
  leave(id: MessageId): void
  save(session: AgentSession, id: MessageId): Promise<void>
  dispose(): void
}

type Needs = { readonly current: CurrentSession; readonly drafts: Drafts; readonly notices: Notices }

export const createQueueEdits = ({ current, drafts, notices }: Needs): QueueEdits => {
  const all = signal<ReadonlyMap<MessageId, QueueEdit>>(new Map())
  const leave = (id: MessageId): void => {
    const left = new Map(all.peek())
    if (left.delete(id)) all.value = left
  }
  const rescue = (edit: QueueEdit, why: string): void => {
    if (edit.text.trim() === '' || edit.text === edit.before) return
    drafts.append(edit.sessionId, edit.text)
    notices.show({ kind: 'error', text: `${why} Your change is in the message field.` })
  }
  // A message whose turn began cannot be changed any more.
  const stop = effect(() => {
    const sessionId = current.id.value
    const waiting = current.live.value?.waiting
    if (waiting === undefined) return
    for (const [id, edit] of all.value) {
      if (edit.sessionId !== sessionId || waiting.some((message) => message.id === id)) continue
      leave(id)
      rescue(edit, 'The message left the queue before your change was saved.')
    }
  })
  return {
    all,
    begin(sessionId, id, text) {
      all.value = new Map(all.peek()).set(id, { sessionId, before: text, text })
    },
    write(id, text) {
      const edit = all.peek().get(id)
      if (edit !== undefined) all.value = new Map(all.peek()).set(id, { ...edit, text })
    },
    leave,
    async save(session, id) {
      const edit = all.peek().get(id)
      leave(id)
      const text = edit?.text.trim() ?? ''
      if (edit === undefined || text === '' || edit.text === edit.before) return
      try {
        await session.queue.edit(id, text)
      } catch (error) {
        rescue(edit, `The waiting message was not changed. ${sayFailure(error)}`)
      }
    },
    dispose: stop,
  }
}
