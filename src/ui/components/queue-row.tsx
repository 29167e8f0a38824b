// One message that waits: to be read, changed, taken back, or given to the running turn.
import { useEffect, useRef } from 'preact/hooks'
import type { AgentSession, Waiting } from '../state/agent-client.ts'
import { useApp } from './app-context.tsx'
import { CloseIcon, PencilIcon, SteerIcon } from './icons.tsx'
import { isEscape, isPlainEnter } from './keys.ts'
import { textOf } from './text-of.ts'
import { useAttempt } from './use-attempt.ts'
import { useFocusHandover } from './use-focus-handover.ts'

type RowProps = { readonly message: Waiting; readonly session: AgentSession; readonly canSteer: boolean }

export const QueueRow = (props: RowProps) => {
  const { queueEdits } = useApp()
  const edit = queueEdits.all.value.get(props.message.id)
  return edit === undefined ? <ReadRow {...props} /> : <EditRow text={edit.text} id={props.message.id} session={props.session} />
}

/** Characters of a row that may be seen. */
const SHOWN = 400

const ReadRow = ({ message, session, canSteer }: RowProps) => {
  const { queueEdits } = useApp()
  const attempt = useAttempt()
  const row = useRef<HTMLLIElement>(null)
  useFocusHandover(row, () => {
    // The same button of the next row, so that several can be removed one after the other.
    const name = document.activeElement?.getAttribute('data-act') ?? 'remove'
    return [row.current?.nextElementSibling, row.current?.previousElementSibling].map((other) => other?.querySelector(`[data-act=${name}]`))
  })
  const text = textOf(message.content)
  const isSteering = message.target === 'step'
  return (
    <li class="queue__row" ref={row} data-item="queued" data-target={message.target} data-message-id={message.id}>
      <span class="queue__how">{isSteering ? 'Steers next' : 'Queued'}</span>
      <span class="queue__text">{text.slice(0, SHOWN)}</span>
      {canSteer ? (
        <button
          type="button"
          class="icon-button"
          data-act="steer"
          aria-label={isSteering ? 'Put back into the queue' : 'Steer now'}
          title={isSteering ? 'Put back into the queue' : 'Steer now: give it to the running turn'}
          aria-pressed={isSteering}
          onClick={() => attempt(session.queue.retarget(message.id, isSteering ? 'turn' : 'step'))}
        >
          <SteerIcon />
        </button>
      ) : null}
      <button
        type="button"
        class="icon-button"
        data-act="edit"
        aria-label="Edit this message"
        title="Edit"
        onClick={() => queueEdits.begin(session.id, message.id, text)}
      >
        <PencilIcon />
      </button>
      <button
        type="button"
        class="icon-button"
        data-act="remove"
        aria-label="Remove this message"
        title="Remove"
        onClick={() => attempt(session.queue.remove(message.id))}
      >
        <CloseIcon />
      </button>
    </li>
  )
}

type EditProps = { readonly text: string; readonly id: string; readonly session: AgentSession }

const EditRow = ({ text, id, session }: EditProps) => {
  const { queueEdits } = useApp()
  const row = useRef<HTMLLIElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useFocusHandover(row, () => [`[data-message-id="${CSS.escape(id)}"] [data-act=edit]`])
  useEffect(() => field.current?.focus(), [])
  const save = () => void queueEdits.save(session, id)
  const onKeyDown = (event: KeyboardEvent) => {
    if (isPlainEnter(event)) {
      event.preventDefault()
      save()
    } else if (isEscape(event)) {
      event.stopPropagation()
      queueEdits.leave(id)
    }
  }
  return (
    <li class="queue__row" ref={row} data-editing="true">
      <textarea
        class="field queue__edit"
        aria-label="Waiting message"
        rows={2}
        value={text}
        ref={field}
        onInput={(event) => queueEdits.write(id, event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" class="button button--small button--main" onClick={save}>
        Save
      </button>
      <button type="button" class="button button--small button--quiet" onClick={() => queueEdits.leave(id)}>
        Cancel
      </button>
    </li>
  )
}
