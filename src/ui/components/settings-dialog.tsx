// The settings' dialog. What is in it is loaded when the page has nothing else to do.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from './app-context.tsx'
import { CloseIcon } from './icons.tsx'
import { lazyView } from './lazy-view.tsx'

export const SettingsDialog = () => {
  const { layout } = useApp()
  const dialog = useRef<HTMLDialogElement>(null)
  const shown = layout.settingsShown.value
  // Before what is in it takes the focus.
  useLayoutEffect(() => {
    if (shown && dialog.current?.open === false) dialog.current.showModal()
    if (!shown && dialog.current?.open === true) dialog.current.close()
  }, [shown])
  useEffect(() => Sections.loadSoon(), [])
  return (
    <dialog
      class="settings"
      ref={dialog}
      aria-labelledby="settings-title"
      onClose={() => layout.showSettings(false)}
      // A click on the backdrop is a click on the dialog itself, outside of its content.
      onMouseDown={(event) => {
        if (event.target === dialog.current) layout.showSettings(false)
      }}
    >
      {shown ? <SettingsContent /> : null}
    </dialog>
  )
}

const Sections = lazyView(() => import('./settings-sections.tsx').then((module) => module.SettingsSections))

const SettingsContent = () => {
  const { layout } = useApp()
  return (
    <div class="settings__content">
      <header class="settings__head">
        <h2 id="settings-title">Settings</h2>
        <button type="button" class="icon-button" aria-label="Close the settings" onClick={() => layout.showSettings(false)}>
          <CloseIcon />
        </button>
      </header>
      <Sections />
    </div>
  )
}
