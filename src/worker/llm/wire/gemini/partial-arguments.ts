// Arguments that Gemini streams as values at paths (`$.files[0].name`), put together to one object.
import { type Fields, isFields } from '../fields.ts'

export interface PartialArguments {
  add(piece: Fields): void
  /** The object as JSON text; cut open when the last value is not whole yet. */
  text(ending: 'whole' | 'cut'): string
}

type Holder = { [key: string]: unknown } | unknown[]

const STEP = /\.([^.[\]]+)|\[(\d{1,4})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/g

/** A text value may come in several pieces. Objects without a prototype: no path reaches beyond them. */
export const partialArguments = (start: unknown): PartialArguments => {
  const root: Holder = Object.assign(emptyObject(), isFields(start) ? start : {})

  const set = (path: readonly string[], value: unknown) => {
    let at: Holder = root
    path.forEach((key, index) => {
      const place = at as { [key: string]: unknown }
      if (index === path.length - 1) {
        const held = place[key]
        place[key] = typeof held === 'string' && typeof value === 'string' ? held + value : value
        return
      }
      const inner = place[key]
      const next = typeof inner === 'object' && inner !== null ? (inner as Holder) : /^\d+$/.test(path[index + 1] ?? '') ? [] : emptyObject()
      place[key] = next
      at = next
    })
  }

  return {
    add(piece) {
      const path = [...String(piece.jsonPath ?? '').matchAll(STEP)].map((step) => step[1] ?? step[2] ?? step[3] ?? step[4] ?? '')
      if (path.length === 0) return
      if (typeof piece.stringValue === 'string') set(path, piece.stringValue)
      else if (typeof piece.numberValue === 'number') set(path, piece.numberValue)
      else if (typeof piece.boolValue === 'boolean') set(path, piece.boolValue)
      else if ('nullValue' in piece) set(path, null)
    },
    text: (ending) => (ending === 'whole' ? JSON.stringify(root) : JSON.stringify(root).slice(0, -1)),
  }
}

const emptyObject = (): { [key: string]: unknown } => Object.create(null)
