// Which panels are open. On a narrow screen they are drawers over the conversation, one at a time.
import type { ReadonlySignal } from '@preact/signals'
import { computed, signal } from '@preact/signals'
import type { Keepsakes } from './keepsakes.ts'

export type Panel = 'sessions' | 'files'
/** A part of the settings that something else leads to. */
export type SettingsPart = 'local-models'

export type Layout = {
  readonly narrow: ReadonlySignal<boolean>
  /** The drawer that covers the conversation. */
  readonly drawer: ReadonlySignal<Panel | undefined>
  readonly filesShown: ReadonlySignal<boolean>
  readonly settingsShown: ReadonlySignal<boolean>
  /** Where they begin; undefined: at their top. */
  readonly settingsPart: ReadonlySignal<SettingsPart | undefined>
  /** What is known of the chosen model, and its limits. */
  readonly modelShown: ReadonlySignal<boolean>
  toggle(panel: Panel): void
  closeDrawer(): void
  showSettings(shown: boolean, part?: SettingsPart): void
  showModel(shown: boolean): void
}

/** `media` tells narrow from wide, as `matchMedia('(max-width: 820px)')` does. */
export const createLayout = (keepsakes: Keepsakes, media: MediaQueryList): Layout => {
  const narrow = signal(media.matches)
  const drawer = signal<Panel | undefined>(undefined)
  const besides = signal(keepsakes.get('files') === 'shown')
  const settingsShown = signal(false)
  const settingsPart = signal<SettingsPart | undefined>(undefined)
  const modelShown = signal(false)
  media.addEventListener('change', () => {
    narrow.value = media.matches
    drawer.value = undefined
  })
  return {
    narrow,
    drawer,
    filesShown: computed(() => (narrow.value ? drawer.value === 'files' : besides.value)),
    settingsShown,
    settingsPart,
    modelShown,
    toggle(panel) {
      if (narrow.value) drawer.value = drawer.value === panel ? undefined : panel
      else if (panel === 'files') {
        besides.value = !besides.value
        keepsakes.set('files', besides.value ? 'shown' : '')
      }
    },
    closeDrawer() {
      drawer.value = undefined
    },
    showSettings(shown, part) {
      drawer.value = undefined
      settingsPart.value = part
      settingsShown.value = shown
    },
    showModel(shown) {
      modelShown.value = shown
    },
  }
}
