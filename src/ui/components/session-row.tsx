// One session in the list: open it, rename it in place, export it, delete it.
import { useRef, useState } from 'preact/hooks'
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import type { SessionListed, SessionStatus } from '../state/agent-client.ts'
import { sayAgo } from '../state/say-time.ts'
import { useApp } from './app-context.tsx'
import { ForkIcon } from './icons.tsx'
import { kept } from './kept.tsx'
import { MenuButton } from './menu-button.tsx'
import { RenameField } from './rename-field.tsx'
import { exportEntry, removeEntry, renameEntry } from './session-entries.ts'
import { useFocusHandover } from './use-focus-handover.ts'

const STATUS: Record<SessionStatus, string> = {
  idle: '',
  running: 'running',
  waiting: 'waiting for you',
  failed: 'failed',
  interrupted: 'interrupted',
}

type Props = { readonly session: SessionListed; readonly isCurrent: boolean }

export const SessionRow = kept(({ session, isCurrent }: Props) => {
  const app = useApp()
  const [renaming, setRenaming] = useState(false)
  const row = useRef<HTMLLIElement>(null)
  useFocusHandover(row, () => [row.current?.nextElementSibling, row.current?.previousElementSibling].map(openerIn))
  const open = () => {
    app.layout.closeDrawer()
    if (!isCurrent) void app.current.open(session.id)
  }
  if (renaming) return <RenameRow session={session} onEnd={() => setRenaming(false)} />
  const name = withoutHiddenMarks(session.title) || 'Untitled'
  const entries = () => [renameEntry(() => setRenaming(true)), exportEntry(app, session), removeEntry(app, session)]
  return (
    <li class="session" ref={row} data-current={isCurrent} data-session={session.id}>
      <button type="button" class="session__open" aria-current={isCurrent ? 'page' : undefined} onClick={open}>
        {isCurrent ? <CurrentDot status={session.status} /> : <StatusDot status={session.status} />}
        {session.forkOf === undefined ? null : <ForkMark />}
        <span class="session__title">{name}</span>
        <SessionTime time={session.updatedAt} />
      </button>
      <span class="session__acts">
        <MenuButton label={`What to do with “${name}”`} entries={entries} />
      </span>
    </li>
  )
})

/** The end of a title, which says so too, is often cut off. */
const ForkMark = () => (
  <span class="session__fork">
    <ForkIcon />
    <span class="hidden">Fork: </span>
  </span>
)

const openerIn = (row: Element | null | undefined) => row?.querySelector('.session__open')

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

const RenameRow = ({ session, onEnd }: { readonly session: SessionListed; readonly onEnd: () => void }) => {
  const row = useRef<HTMLLIElement>(null)
  useFocusHandover(row, () => [`[data-session="${CSS.escape(session.id)}"] .session__open`])
  return (
    <li class="session" ref={row} data-renaming="true">
      <RenameField session={session} onEnd={onEnd} />
    </li>
  )
}
