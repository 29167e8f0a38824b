// The application's page: sessions, conversation, composer, files.
import { useEffect } from 'preact/hooks'
import { AppProvider } from './components/app-context.tsx'
import { Banners } from './components/banners.tsx'
import { BottomPlace } from './components/bottom-place.tsx'
import { Conversation } from './components/conversation.tsx'
import { DropPlace } from './components/drop-place.tsx'
import { FilesPanel } from './components/files-panel.tsx'
import { isEscape, isSearchKey } from './components/keys.ts'
import { ModelDialog } from './components/model-dialog.tsx'
import { NoticesView, SpokenWords } from './components/notice-view.tsx'
import { SessionSidebar } from './components/session-sidebar.tsx'
import { SettingsDialog } from './components/settings-dialog.tsx'
import { TopBar } from './components/top-bar.tsx'
import { useDrawerFocus } from './components/use-drawer-focus.ts'
import { useStop } from './components/use-stop.ts'
import type { App } from './state/app-state.ts'

export const AppPage = ({ app }: { readonly app: App }) => (
  <AppProvider value={app}>
    <Page app={app} />
  </AppProvider>
)

const Page = ({ app }: { readonly app: App }) => {
  const { layout, current } = app
  const drawer = layout.drawer.value
  useDrawerFocus(drawer)
  useEscape(app)
  useSearchKey(app)
  return (
    <div class="app" data-drawer={drawer}>
      <SessionSidebar />
      <main
        class="main"
        data-run-state={current.phase.value}
        data-session-id={current.id.value}
        data-health={app.health.value.kind}
        inert={drawer !== undefined}
      >
        <TopBar />
        <Banners />
        <Conversation />
        <BottomPlace />
      </main>
      <FilesPanel />
      {drawer === undefined ? null : (
        <button type="button" class="scrim" aria-label="Close the panel" tabIndex={-1} onClick={layout.closeDrawer} />
      )}
      <NoticesView />
      <SpokenWords />
      <SettingsDialog />
      <ModelDialog />
      <DropPlace />
    </div>
  )
}

/** Waiting for the person is part of a turn: Escape stops it, and never answers. */
const isUnderWay = (phase: App['current']['phase']['value']): boolean => phase === 'running' || phase === 'waiting'

/** Escape closes the drawer, else stops the turn, wherever the focus is. Fields that use it for themselves keep it from here. */
const useEscape = ({ layout, current }: App): void => {
  const stop = useStop()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isEscape(event) || event.defaultPrevented || layout.settingsShown.peek() || layout.modelShown.peek()) return
      if (layout.drawer.peek() !== undefined) layout.closeDrawer()
      else if (isUnderWay(current.phase.peek())) stop()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [layout, current, stop])
}

/** The search is in the list of sessions, which a narrow screen opens for it. */
const useSearchKey = ({ layout, search }: App): void => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isSearchKey(event) || event.defaultPrevented || layout.settingsShown.peek()) return
      event.preventDefault()
      if (layout.narrow.peek() && layout.drawer.peek() !== 'sessions') layout.toggle('sessions')
      search.open()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [layout, search])
}
