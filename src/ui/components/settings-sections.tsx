// Everything that can be set, in its order.
import { THEMES } from '../state/appearance.ts'
import { useApp } from './app-context.tsx'
import { LocalModelsSection } from './local-models-section.tsx'
import { AskSection, ConversationSection } from './person-settings.tsx'
import { ProvidersSection } from './providers-section.tsx'
import { StorageSection } from './storage-settings.tsx'
import { THEME_NAMES } from './theme-toggle.tsx'

export const SettingsSections = () => (
  <>
    <ProvidersSection />
    <LocalModelsSection />
    <AskSection />
    <ConversationSection />
    <StorageSection />
    <AppearanceSection />
  </>
)

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
