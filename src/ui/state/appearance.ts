// Light, dark, or what the system says; kept in this browser.
import type { ReadonlySignal } from '@preact/signals'
import { effect, signal } from '@preact/signals'
import type { Keepsakes } from './keepsakes.ts'

export type Theme = 'system' | 'light' | 'dark'
export const THEMES: readonly Theme[] = ['system', 'light', 'dark']

export type Appearance = { readonly theme: ReadonlySignal<Theme>; choose(theme: Theme): void; dispose(): void }

/** Marks the root element, which the style sheet follows. */
export const createAppearance = (keepsakes: Keepsakes, root: HTMLElement): Appearance => {
  const kept = keepsakes.get('theme')
  const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'system')
  const dispose = effect(() => {
    if (theme.value === 'system') root.removeAttribute('data-theme')
    else root.setAttribute('data-theme', theme.value)
  })
  return {
    theme,
    choose(next) {
      theme.value = next
      keepsakes.set('theme', next === 'system' ? '' : next)
    },
    dispose,
  }
}
