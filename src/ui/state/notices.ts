// What the page says beside the conversation: short notices at the edge, and words for a screen reader.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'

/**
 * `act` is offered as a button, as for undoing. A plain one goes away by itself after some seconds, unless whoever shows it `keeps` it
 * until its own time is over; `busy` says that something goes on, and is taken away when it is done; an error stays until it is dismissed.
 */
export type Notice = {
  readonly text: string
  readonly kind: 'plain' | 'busy' | 'error'
  readonly act?: { readonly label: string; run(): void }
  /** How far what goes on is, from 0 to 1. */
  readonly progress?: ReadonlySignal<number>
  readonly keeps?: true
}

export type Notices = {
  /** Oldest first. */
  readonly shown: ReadonlySignal<readonly Notice[]>
  /** Spoken once, politely: the start, the end and the failure of a turn, and nothing in between. */
  readonly spoken: ReadonlySignal<string>
  show(notice: Notice): void
  dismiss(notice: Notice | undefined): void
  speak(text: string): void
}

/** In milliseconds. */
export const NOTICE_MS = 6000
/** More would cover the conversation. */
const MOST = 4

export const createNotices = (): Notices => {
  const shown = signal<readonly Notice[]>([])
  const spoken = signal('')
  const dismiss = (gone: Notice | undefined): void => {
    if (gone !== undefined && shown.value.includes(gone)) shown.value = shown.value.filter((notice) => notice !== gone)
  }
  return {
    shown,
    spoken,
    dismiss,
    show(next) {
      const others = shown.value.filter(({ text, kind }) => text !== next.text || kind !== next.kind) // the same again is one
      const oldest =
        others.length < MOST ? undefined : (others.find(({ keeps, kind }) => keeps === undefined && kind !== 'busy') ?? others[0])
      shown.value = [...others.filter((notice) => notice !== oldest), next]
    },
    speak: (text) => {
      spoken.value = text
    },
  }
}
