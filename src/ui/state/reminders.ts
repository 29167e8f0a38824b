// Whether the reminders that a task run gives its model are shown, kept in this browser.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { Keepsakes } from './keepsakes.ts'

export type Reminders = { readonly shown: ReadonlySignal<boolean>; show(shown: boolean): void }

export const createReminders = (keepsakes: Keepsakes): Reminders => {
  const shown = signal(keepsakes.get('reminders') !== 'hidden')
  return {
    shown,
    show(next) {
      shown.value = next
      keepsakes.set('reminders', next ? '' : 'hidden')
    },
  }
}
