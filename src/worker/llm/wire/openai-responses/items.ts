// The output items of a Responses reply: which one an event is about, and what of it is written already, since the same words come up to three times.
import { type Fields, textOf } from '../fields.ts'

export type ItemKind = 'message' | 'reasoning' | 'function_call' | 'other'
export type Item = {
  readonly kind: ItemKind
  /** Where it came among the items: the number of its call. */
  readonly place: number
  /** Its output index; the first that it was told of by. */
  index?: number
  id: string
  callId: string
  /** Of a call: its name is told, so that its arguments may follow. */
  named: boolean
  /** All that is written of it, and that by part. */
  written: string
  readonly parts: Map<unknown, string>
  /** What came with its start; pieces that follow are the same once more. */
  early: Fields
  done: boolean
}

export interface Items {
  readonly all: readonly Item[]
  /** The item of an event; opened when its start was left out, or when this event is its start (`starts`). */
  of(event: Fields, kind: ItemKind, starts?: boolean): Item
  /** The item of that kind for an entry of the final output: by its ids, else the next one that no other entry claimed. */
  claim(entry: Fields, kind: ItemKind): Item
}

/** A custom tool is called like any other. */
export const kindOf = (type: unknown): ItemKind =>
  type === 'message' || type === 'reasoning' || type === 'function_call' ? type : type === 'custom_tool_call' ? 'function_call' : 'other'

/**
 * Some servers leave out the index, some give every item the same, some give each event of an item another id, or all items one: the
 * index goes before the id, the id before what is open, and another call id is another call.
 */
export const outputItems = (onOpen: () => void): Items => {
  const all: Item[] = []
  const claimed = new Set<Item>()

  const open = (kind: ItemKind, id: string): Item => {
    const item: Item = { kind, place: all.length, id, callId: '', named: false, written: '', parts: new Map(), early: {}, done: false }
    all.push(item)
    onOpen()
    return item
  }

  return {
    all,
    of({ output_index: index, item_id, call_id }, kind, starts = false) {
      const id = textOf(item_id)
      const callId = textOf(call_id)
      const numbered = typeof index === 'number'
      const find = (fits: (item: Item) => boolean) => all.findLast((item) => item.kind === kind && fits(item))
      const isFree = (item: Item) => !numbered || item.index === undefined
      const differs = (item: Item) => id !== '' && item.id !== '' && item.id !== id
      const known =
        find((item) => numbered && item.index === index) ??
        find((item) => isFree(item) && id !== '' && item.id === id) ??
        find((item) => isFree(item) && !starts && item === all.at(-1) && !item.done && !differs(item))
      // Two of these signs tell of another item under the same number; one alone is a server's habit.
      const signs = known === undefined ? [] : [starts, known.done, differs(known)]
      const isOther = signs.filter(Boolean).length > 1 || (callId !== '' && !['', known?.id, callId].includes(known?.callId ?? ''))
      const item = known === undefined || isOther ? open(kind, id) : known
      item.id ||= id
      if (numbered) item.index ??= index
      return item
    },
    claim(entry, kind) {
      const free = all.filter((item) => item.kind === kind && !claimed.has(item))
      const callId = textOf(entry.call_id)
      const item =
        free.find(({ id, callId: known }) => (callId === '' ? id !== '' && id === entry.id : known === callId)) ??
        free.find(({ callId: known }) => known === '' || callId === '') ??
        open(kind, textOf(entry.id))
      claimed.add(item)
      return item
    },
  }
}

/** What of `whole` is not written yet; '' when something else was written. */
export const restOf = (written: string, whole: string): string => (whole.startsWith(written) ? whole.slice(written.length) : '')
