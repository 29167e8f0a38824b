// What is being written, kept per session so that neither a reload nor a look at another session loses it.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import type { Keepsakes } from './keepsakes.ts'

export type Drafts = {
  readonly text: ReadonlySignal<string>
  /** Long texts that were pasted: they go along with what is written, and are in no field. */
  readonly pasted: ReadonlySignal<readonly string[]>
  edit(text: string): void
  paste(text: string): void
  /** Takes the one at this place away, and gives it. */
  unpaste(at: number): string | undefined
  /** Empties it: it is on its way. */
  clear(): void
  /** Shows the draft of another session; undefined: of the conversation that does not exist yet. */
  show(id: SessionId | undefined): void
  /** What was written for the new conversation belongs to this session from now on. */
  adopt(id: SessionId): void
  /** Puts a message back that could not be sent, before what was written since. */
  giveBack(text: string, pasted: readonly string[]): void
  /** Puts a text after what is written in a session, which need not be the one on the screen. */
  append(id: SessionId, text: string): void
}

const nameOf = (id: SessionId | undefined): string => `draft.${id ?? 'new'}`
const pastedOf = (id: SessionId | undefined): string => `pasted.${id ?? 'new'}`

export const createDrafts = (keepsakes: Keepsakes): Drafts => {
  let shown: SessionId | undefined
  const text = signal(keepsakes.get(nameOf(undefined)) ?? '')
  const pasted = signal(readPasted(keepsakes.get(pastedOf(undefined))))
  const edit = (next: string): void => {
    text.value = next
    keepsakes.set(nameOf(shown), next)
  }
  const setPasted = (next: readonly string[]): void => {
    pasted.value = next
    keepsakes.set(pastedOf(shown), next.length === 0 ? '' : JSON.stringify(next))
  }
  return {
    text,
    pasted,
    edit,
    paste: (piece) => setPasted([...pasted.peek(), piece]),
    unpaste(at) {
      const all = pasted.peek()
      setPasted(all.toSpliced(at, 1))
      return all[at]
    },
    clear() {
      edit('')
      if (pasted.peek().length > 0) setPasted([])
    },
    show(id) {
      shown = id
      text.value = keepsakes.get(nameOf(id)) ?? ''
      pasted.value = readPasted(keepsakes.get(pastedOf(id)))
    },
    adopt(id) {
      keepsakes.set(nameOf(id), text.value)
      keepsakes.set(nameOf(undefined), '')
      if (pasted.value.length > 0) keepsakes.set(pastedOf(id), JSON.stringify(pasted.value))
      keepsakes.set(pastedOf(undefined), '')
    },
    giveBack(unsent, pieces) {
      edit(text.peek() === '' || unsent === '' ? `${unsent}${text.peek()}` : `${unsent}\n\n${text.peek()}`)
      if (pieces.length > 0) setPasted([...pieces, ...pasted.peek()])
    },
    append(id, added) {
      const before = (id === shown ? text.peek() : keepsakes.get(nameOf(id))) ?? ''
      const next = before === '' ? added : `${before}\n\n${added}`
      if (id === shown) edit(next)
      else keepsakes.set(nameOf(id), next)
    },
  }
}

/** What another version kept, or nobody, is nothing. */
const readPasted = (kept: string | undefined): readonly string[] => {
  try {
    const read: unknown = JSON.parse(kept ?? '[]')
    return Array.isArray(read) ? read.filter((piece) => typeof piece === 'string') : []
  } catch {
    return []
  }
}
