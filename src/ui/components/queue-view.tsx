// What waits for the agent: to be read, changed, taken back, or given to it at once. After a stop it is held until a person says.
import { useState } from 'preact/hooks'
import type { AgentSession, Waiting } from '../state/agent-client.ts'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'
import { CloseIcon, PencilIcon, SteerIcon } from './icons.tsx'
import { isEscape, isPlainEnter } from './keys.ts'
import { textOf } from './text-of.ts'

export const QueueView = () => {
  const { current } = useApp()
  const live = current.live.value
  const opened = current.opened.value
  if (live === undefined || live.waiting.length === 0 || opened.kind !== 'open') return null
  const phase = current.phase.value
  const isRunning = phase === 'running' || phase === 'waiting'
  if (!isRunning && !live.held) return null // its turn starts in a moment; the conversation shows it
  return (
    <section class="queue" aria-label="Waiting messages" data-held={live.held}>
      {live.held ? <Held session={opened.session} waiting={live.waiting} /> : null}
      <ol class="queue__list">
        {live.waiting.map((message) => (
          <QueueRow key={message.id} message={message} session={opened.session} canSteer={isRunning} />
        ))}
      </ol>
    </section>
  )
}

const useQueue = () => {
  const { notices } = useApp()
  return (change: Promise<void>) => {
    change.catch((error: unknown) => notices.show({ kind: 'error', text: sayFailure(error) }))
  }
}

const Held = ({ session, waiting }: { readonly session: AgentSession; readonly waiting: readonly Waiting[] }) => {
  const attempt = useQueue()
  const count = waiting.length
  const discard = async () => {
    for (const { id } of waiting) await session.queue.remove(id)
  }
  return (
    <div class="queue__held">
      <span>{count === 1 ? 'Stopped. One message is held.' : `Stopped. ${count} messages are held.`}</span>
      <button type="button" class="button button--small" onClick={() => attempt(session.queue.release())}>
        {count === 1 ? 'Send it now' : 'Send them now'}
      </button>
      <button type="button" class="button button--small button--quiet" onClick={() => attempt(discard())}>
        Discard
      </button>
    </div>
  )
}

type RowProps = { readonly message: Waiting; readonly session: AgentSession; readonly canSteer: boolean }

const QueueRow = ({ message, session, canSteer }: RowProps) => {
  const attempt = useQueue()
  const [editing, setEditing] = useState(false)
  const text = textOf(message.content)
  const isSteering = message.target === 'step'
  const save = (next: string) => {
    setEditing(false)
    if (next.trim() !== '' && next !== text) attempt(session.queue.edit(message.id, next.trim()))
  }
  if (editing) return <EditRow text={text} onSave={save} onCancel={() => setEditing(false)} />
  return (
    <li class="queue__row" data-item="queued" data-target={message.target} data-message-id={message.id}>
      <span class="queue__how">{isSteering ? 'Steers next' : 'Queued'}</span>
      <span class="queue__text">{text}</span>
      {canSteer ? (
        <button
          type="button"
          class="icon-button"
          aria-label={isSteering ? 'Put back into the queue' : 'Steer now'}
          title={isSteering ? 'Put back into the queue' : 'Steer now: give it to the running turn'}
          aria-pressed={isSteering}
          onClick={() => attempt(session.queue.retarget(message.id, isSteering ? 'turn' : 'step'))}
        >
          <SteerIcon />
        </button>
      ) : null}
      <button type="button" class="icon-button" aria-label="Edit this message" title="Edit" onClick={() => setEditing(true)}>
        <PencilIcon />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Remove this message"
        title="Remove"
        onClick={() => attempt(session.queue.remove(message.id))}
      >
        <CloseIcon />
      </button>
    </li>
  )
}

type EditProps = { readonly text: string; readonly onSave: (text: string) => void; readonly onCancel: () => void }

const EditRow = ({ text, onSave, onCancel }: EditProps) => {
  const [draft, setDraft] = useState(text)
  const onKeyDown = (event: KeyboardEvent) => {
    if (isPlainEnter(event)) {
      event.preventDefault()
      onSave(draft)
    } else if (isEscape(event)) {
      event.stopPropagation()
      onCancel()
    }
  }
  return (
    <li class="queue__row" data-editing="true">
      <textarea
        class="field queue__edit"
        aria-label="Waiting message"
        rows={2}
        value={draft}
        ref={(field) => {
          if (field !== null && document.activeElement !== field) field.focus()
        }}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" class="button button--small button--main" onClick={() => onSave(draft)}>
        Save
      </button>
      <button type="button" class="button button--small button--quiet" onClick={onCancel}>
        Cancel
      </button>
    </li>
  )
}
