// One session in the list: open it, rename it in place, delete it.
import { useRef, useState } from 'preact/hooks'
import { withoutTurnMarks } from '../markdown/turn-marks.ts'
import type { SessionStatus, SessionSummary } from '../state/agent-client.ts'
import { sayAgo } from '../state/say-time.ts'
import { useApp } from './app-context.tsx'
import { PencilIcon, TrashIcon } from './icons.tsx'
import { kept } from './kept.tsx'
import { isEscape, isPlainEnter } from './keys.ts'
import { useFocusHandover } from './use-focus-handover.ts'

const STATUS: Record<SessionStatus, string> = {
  idle: '',
  running: 'running',
  waiting: 'waiting for you',
  failed: 'failed',
  interrupted: 'interrupted',
}

type Props = { readonly session: SessionSummary; readonly isCurrent: boolean }

export const SessionRow = kept(({ session, isCurrent }: Props) => {
  const { current, list, layout } = useApp()
  const [renaming, setRenaming] = useState(false)
  const remove = () => {
    if (isCurrent) current.startNew()
    list.remove(session)
  }
  const open = () => {
    layout.closeDrawer()
    if (!isCurrent) void current.open(session.id)
  }
  if (renaming) return <RenameRow session={session} onEnd={() => setRenaming(false)} />
  const name = withoutTurnMarks(session.title) || 'Untitled'
  return (
    <li class="session" data-current={isCurrent} data-session={session.id}>
      <button type="button" class="session__open" aria-current={isCurrent ? 'page' : undefined} onClick={open}>
        {isCurrent ? <CurrentDot status={session.status} /> : <StatusDot status={session.status} />}
        <span class="session__title">{name}</span>
        <SessionTime time={session.updatedAt} />
      </button>
      <span class="session__acts">
        <button type="button" class="icon-button" aria-label={`Rename “${name}”`} title="Rename" onClick={() => setRenaming(true)}>
          <PencilIcon />
        </button>
        <button type="button" class="icon-button" aria-label={`Delete “${name}”`} title="Delete" onClick={remove}>
          <TrashIcon />
        </button>
      </span>
    </li>
  )
})

/** Alone, so that the minute that passes draws the times again and nothing else. */
const SessionTime = ({ time }: { readonly time: number }) => {
  const { clock } = useApp()
  return <time class="session__time">{sayAgo(time, Math.max(clock.minute.value, clock.second.peek()))}</time>
}

/** The log on the screen is ahead of the list. */
const CurrentDot = ({ status }: { readonly status: SessionStatus }) => {
  const { current } = useApp()
  const phase = current.phase.value
  return <StatusDot status={phase === 'waiting' || phase === 'running' ? phase : status} />
}

export const StatusDot = ({ status }: { readonly status: SessionStatus }) => (
  <span class="dot" data-status={status}>
    {STATUS[status] === '' ? null : <span class="hidden">{STATUS[status]}: </span>}
  </span>
)

const RenameRow = ({ session, onEnd }: { readonly session: SessionSummary; readonly onEnd: () => void }) => {
  const { list } = useApp()
  const row = useRef<HTMLLIElement>(null)
  useFocusHandover(row, () => [`[data-session="${CSS.escape(session.id)}"] .session__open`])
  const over = useRef(false) // leaving the field by Enter or Escape also blurs it
  const end = (title: string | undefined) => {
    if (over.current) return
    over.current = true
    onEnd()
    const next = title?.trim() ?? ''
    if (next !== '' && next !== session.title) void list.rename(session.id, next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const field = event.currentTarget as HTMLInputElement
    if (isPlainEnter(event)) end(field.value)
    if (isEscape(event)) {
      event.stopPropagation()
      end(undefined)
    }
  }
  return (
    <li class="session" ref={row} data-renaming="true">
      <input
        class="field session__rename"
        aria-label="Name of the session"
        defaultValue={session.title}
        maxLength={200}
        ref={(field) => {
          if (field !== null && document.activeElement !== field) field.select()
        }}
        onKeyDown={onKeyDown}
        onBlur={(event) => end(event.currentTarget.value)}
      />
    </li>
  )
}
