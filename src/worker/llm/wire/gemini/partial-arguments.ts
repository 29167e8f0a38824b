// Arguments that Gemini streams as values at paths (`$.files[0].name`), put together to one object.
import { type Fields, isFields } from '../fields.ts'

export interface PartialArguments {
  add(piece: Fields): void
  /** The object as JSON text; cut open when the last value is not whole yet. */
  text(ending: 'whole' | 'cut'): string
}

type Holder = { [key: string]: unknown }
const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null

const STEP = /\.([^.[\]]+)|\[(\d{1,4})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/g

/** A text value may come in several pieces. */
export const partialArguments = (start: unknown): PartialArguments => {
  const root: Holder = isFields(start) ? { ...start } : {}

  const set = (path: readonly string[], value: unknown) => {
    let at: Holder = root
    path.forEach((key, index) => {
      const held = Object.hasOwn(at, key) ? at[key] : undefined // what is inherited is beyond the object
      const next = path[index + 1]
      if (next === undefined) at[key] = typeof held === 'string' && typeof value === 'string' ? held + value : value
      else {
        const inner = isHolder(held) ? held : /^\d+$/.test(next) ? emptyList() : {}
        at[key] = inner
        at = inner
      }
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

const emptyList = (): Holder => Object.assign<unknown[], Holder>([], {})
