// The output items of a Responses reply: which one an event is about, and what of it is written already, since the same words come up to three times.
import { type Fields, textOf } from '../fields.ts'

export type ItemKind = 'message' | 'reasoning' | 'function_call' | 'custom_tool_call' | 'other'
export type Item = {
  readonly kind: ItemKind
  /** Where it came among the items: the number of its call. */
  readonly place: number
  id: string
  callId: string
  /** Of a call: its name is told, so that its arguments may follow. */
  named: boolean
  /** All that is written of it, and that by part. */
  written: string
  readonly parts: Map<unknown, string>
  /** Arguments that came with its start; pieces that follow are the same once more. */
  early: string
  done: boolean
}

export interface Items {
  readonly all: readonly Item[]
  /** The item of an event; opened when its start was left out, or when this event is its start (`starts`). */
  of(event: Fields, kind: ItemKind, starts?: 'starts'): Item
  /** The item of that kind for an entry of the final output: by its ids, else the next one that no other entry claimed. */
  claim(entry: Fields, kind: ItemKind): Item
}

const KINDS: readonly unknown[] = ['message', 'reasoning', 'function_call', 'custom_tool_call']
export const kindOf = (type: unknown): ItemKind => (KINDS.includes(type) ? (type as ItemKind) : 'other')

/** Some servers leave out the index, some give each event of an item another id: the index goes before the id, the id before what is open. */
export const outputItems = (onOpen: () => void): Items => {
  const all: Item[] = []
  const byIndex = new Map<number, Item>()
  const claimed = new Set<Item>()

  const open = (kind: ItemKind, id: string): Item => {
    const item: Item = { kind, place: all.length, id, callId: '', named: false, written: '', parts: new Map(), early: '', done: false }
    all.push(item)
    onOpen()
    return item
  }

  return {
    all,
    of(event, kind, starts) {
      const { output_index: index } = event
      const id = textOf(event.item_id)
      if (typeof index === 'number') {
        const known = byIndex.get(index)
        if (known?.kind === kind) return known
        const item = open(kind, id)
        byIndex.set(index, item)
        return item
      }
      const last = all.at(-1)
      const known = id === '' ? undefined : all.find((item) => item.id === id && item.kind === kind)
      return known ?? (starts === undefined && last?.kind === kind && !last.done ? last : open(kind, id))
    },
    claim(entry, kind) {
      const free = all.filter((item) => item.kind === kind && !claimed.has(item))
      const callId = textOf(entry.call_id)
      const same = callId === '' ? free.find(({ id }) => id !== '' && id === entry.id) : free.find((item) => item.callId === callId)
      const next = free.find((item) => item.callId === '' || callId === '')
      const item = same ?? next ?? open(kind, textOf(entry.id))
      claimed.add(item)
      return item
    },
  }
}

/** What of `whole` is not written yet; '' when something else was written. */
export const restOf = (written: string, whole: string): string => (whole.startsWith(written) ? whole.slice(written.length) : '')
