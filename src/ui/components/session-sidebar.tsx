// The list of sessions, with the way to a new one and to the settings.
import { useApp } from './app-context.tsx'
import { CloseIcon, GearIcon, PlusIcon } from './icons.tsx'
import { SessionRow } from './session-row.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

export const SessionSidebar = () => {
  const { list, current, layout } = useApp()
  const listing = list.listing.value
  const id = current.id.value
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
      <button type="button" class="button sidebar__new" onClick={begin}>
        <PlusIcon /> New session
      </button>
      <div class="sidebar__list">
        {listing.kind === 'loading' ? <ListSkeleton /> : null}
        {listing.kind === 'failed' ? (
          <div class="hint">
            <p>The sessions could not be listed. {listing.message}</p>
            <button type="button" class="link-button" onClick={() => list.refresh()}>
              Try again
            </button>
          </div>
        ) : null}
        {listing.kind === 'loaded' && listing.sessions.length === 0 ? (
          <p class="hint">Nothing here yet. What you do is kept in this browser, and only here.</p>
        ) : null}
        {listing.kind === 'loaded' && listing.sessions.length > 0 ? (
          <ul class="sessions">
            {listing.sessions.map((session) => (
              <SessionRow key={session.id} session={session} isCurrent={session.id === id} />
            ))}
          </ul>
        ) : null}
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

const ListSkeleton = () => (
  <div class="skeleton" aria-hidden="true">
    <i />
    <i />
    <i />
  </div>
)
