// What the page says beside the conversation: a short notice at the edge, and words for a screen reader.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'

/** `act` is offered as a button, as for undoing; the notice goes away by itself after some seconds. */
export type Notice = { readonly text: string; readonly kind: 'plain' | 'error'; readonly act?: { readonly label: string; run(): void } }

export type Notices = {
  readonly notice: ReadonlySignal<Notice | undefined>
  /** Spoken once, politely: the start, the end and the failure of a turn, and nothing in between. */
  readonly spoken: ReadonlySignal<string>
  show(notice: Notice): void
  dismiss(notice: Notice | undefined): void
  speak(text: string): void
}

export const createNotices = (): Notices => {
  const notice = signal<Notice | undefined>(undefined)
  const spoken = signal('')
  return {
    notice,
    spoken,
    show: (next) => {
      notice.value = next
    },
    dismiss: (shown) => {
      if (notice.value === shown) notice.value = undefined
    },
    speak: (text) => {
      spoken.value = text
    },
  }
}
