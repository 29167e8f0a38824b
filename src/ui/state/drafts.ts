// What is being written, kept per session so that neither a reload nor a look at another session loses it.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import type { Keepsakes } from './keepsakes.ts'

export type Drafts = {
  readonly text: ReadonlySignal<string>
  edit(text: string): void
  /** Shows the draft of another session; undefined: of the conversation that does not exist yet. */
  show(id: SessionId | undefined): void
  /** What was written for the new conversation belongs to this session from now on. */
  adopt(id: SessionId): void
  /** Puts a text back that could not be sent, before what was written since. */
  giveBack(text: string): void
  /** Puts a text after what is written in a session, which need not be the one on the screen. */
  append(id: SessionId, text: string): void
}

const nameOf = (id: SessionId | undefined): string => `draft.${id ?? 'new'}`

export const createDrafts = (keepsakes: Keepsakes): Drafts => {
  let shown: SessionId | undefined
  const text = signal(keepsakes.get(nameOf(undefined)) ?? '')
  const edit = (next: string): void => {
    text.value = next
    keepsakes.set(nameOf(shown), next)
  }
  return {
    text,
    edit,
    show(id) {
      shown = id
      text.value = keepsakes.get(nameOf(id)) ?? ''
    },
    adopt(id) {
      keepsakes.set(nameOf(id), text.value)
      keepsakes.set(nameOf(undefined), '')
    },
    giveBack(unsent) {
      edit(text.peek() === '' ? unsent : `${unsent}\n\n${text.peek()}`)
    },
    append(id, added) {
      const before = (id === shown ? text.peek() : keepsakes.get(nameOf(id))) ?? ''
      const next = before === '' ? added : `${before}\n\n${added}`
      if (id === shown) edit(next)
      else keepsakes.set(nameOf(id), next)
    },
  }
}
