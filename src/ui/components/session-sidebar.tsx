// The list of sessions, with the way to a new one, to one that is looked for, and to the settings.
import { useRef } from 'preact/hooks'
import type { SessionListed } from '../state/agent-client.ts'
import { useApp } from './app-context.tsx'
import { CloseIcon, GearIcon, OpenIcon, PlusIcon } from './icons.tsx'
import { SessionRow } from './session-row.tsx'
import { SessionSearchField } from './session-search-field.tsx'
import { ThemeToggle } from './theme-toggle.tsx'
import { useFilePicker } from './use-file-picker.tsx'

export const SessionSidebar = () => {
  const { current, layout, search } = useApp()
  const begin = () => {
    current.startNew()
    layout.closeDrawer()
    document.getElementById('composer-text')?.focus()
  }
  return (
    <nav class="sidebar" aria-label="Sessions" data-open={layout.drawer.value === 'sessions'}>
      <div class="sidebar__head">
        <span class="brand">
          <span class="brand__mark" aria-hidden="true" />
          Sideloop
        </span>
        <button type="button" class="icon-button sidebar__close" aria-label="Close the list of sessions" onClick={layout.closeDrawer}>
          <CloseIcon />
        </button>
      </div>
      <div class="sidebar__new">
        <button type="button" class="button" onClick={begin}>
          <PlusIcon /> New session
        </button>
        <ImportButton />
      </div>
      {search.shown.value ? <SessionSearchField /> : null}
      <div class="sidebar__list">
        <SessionRows />
      </div>
      <div class="sidebar__foot">
        <button type="button" class="button button--quiet" onClick={() => layout.showSettings(true)}>
          <GearIcon /> Settings
        </button>
        <ThemeToggle />
      </div>
    </nav>
  )
}

const ImportButton = () => {
  const { sessionFiles } = useApp()
  const { pick, input } = useFilePicker()
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="Import sessions"
        title="Import sessions from files"
        disabled={sessionFiles.isBusy.value}
        onClick={pick}
      >
        <OpenIcon />
      </button>
      {input}
    </>
  )
}

const SessionRows = () => {
  const { list, search } = useApp()
  const found = search.found.value
  switch (found.kind) {
    case 'loading':
      return <ListSkeleton />
    case 'failed':
      return (
        <div class="hint">
          <p>The sessions could not be listed. {found.message}</p>
          <button type="button" class="link-button" onClick={() => list.refresh()}>
            Try again
          </button>
        </div>
      )
    case 'loaded':
      if (found.sessions.length > 0) return <Rows sessions={found.sessions} />
      return search.text.value.trim() === '' ? (
        <p class="hint">Nothing here yet. What you do is kept in this browser, and only here.</p>
      ) : (
        <div class="hint">
          <p>No session has “{search.text.value.trim()}” in its title.</p>
          <button type="button" class="link-button" onClick={search.clear}>
            Show all sessions
          </button>
        </div>
      )
  }
}

const OPENERS = '.session__open'

const Rows = ({ sessions }: { readonly sessions: readonly SessionListed[] }) => {
  const { current, search } = useApp()
  const rows = useRef<HTMLUListElement>(null)
  const id = current.id.value
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const all = [...(rows.current?.querySelectorAll<HTMLElement>(OPENERS) ?? [])]
    const at = all.indexOf(event.target as HTMLElement)
    if (step === 0 || at < 0) return
    event.preventDefault()
    if (at + step < 0 && search.shown.peek()) document.getElementById('session-search')?.focus()
    else all[at + step]?.focus()
  }
  return (
    <ul class="sessions" ref={rows} onKeyDown={onKeyDown}>
      {sessions.map((session) => (
        <SessionRow key={session.id} session={session} isCurrent={session.id === id} />
      ))}
    </ul>
  )
}

const ListSkeleton = () => (
  <div class="skeleton" aria-hidden="true">
    <i />
    <i />
    <i />
  </div>
)
