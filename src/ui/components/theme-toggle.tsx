// Light, dark, or as the system says: one button that goes round.
import type { Theme } from '../state/appearance.ts'
import { THEMES } from '../state/appearance.ts'
import { useApp } from './app-context.tsx'
import { MoonIcon, SunIcon, SystemIcon } from './icons.tsx'

export const THEME_NAMES: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' }
const ICONS = { system: SystemIcon, light: SunIcon, dark: MoonIcon }

export const ThemeToggle = () => {
  const { appearance } = useApp()
  const theme = appearance.theme.value
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  const Icon = ICONS[theme]
  const label = `Appearance: ${THEME_NAMES[theme]}. Switch to: ${THEME_NAMES[next]}`
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={() => appearance.choose(next)}>
      <Icon />
    </button>
  )
}
