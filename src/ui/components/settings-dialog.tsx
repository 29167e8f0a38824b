// Settings: the providers of models, and how the page looks.
import { useEffect, useRef } from 'preact/hooks'
import { THEMES } from '../state/appearance.ts'
import { useApp } from './app-context.tsx'
import { CloseIcon } from './icons.tsx'
import { AskSection, ConversationSection } from './person-settings.tsx'
import { ProvidersSection } from './providers-section.tsx'
import { THEME_NAMES } from './theme-toggle.tsx'

export const SettingsDialog = () => {
  const { layout } = useApp()
  const dialog = useRef<HTMLDialogElement>(null)
  const shown = layout.settingsShown.value
  useEffect(() => {
    if (shown && dialog.current?.open === false) dialog.current.showModal()
    if (!shown && dialog.current?.open === true) dialog.current.close()
  }, [shown])
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
      <ProvidersSection />
      <AskSection />
      <ConversationSection />
      <AppearanceSection />
    </div>
  )
}

const AppearanceSection = () => {
  const { appearance } = useApp()
  return (
    <section class="settings__part" aria-labelledby="settings-look">
      <h3 id="settings-look">Appearance</h3>
      <div class="choice" role="radiogroup" aria-labelledby="settings-look">
        {THEMES.map((theme) => (
          <label key={theme} class="choice__one">
            <input
              type="radio"
              name="theme"
              value={theme}
              checked={appearance.theme.value === theme}
              onChange={() => appearance.choose(theme)}
            />
            <span>{THEME_NAMES[theme]}</span>
          </label>
        ))}
      </div>
    </section>
  )
}
