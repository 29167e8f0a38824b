// The entries of `reasoning_details`, streamed in pieces, as the whole entries that must go back unchanged.

type Entry = { readonly [key: string]: unknown }
const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Pieces of the same type and index are one entry: its text grows, its other fields are the latest that were not null. */
export const mergeDetails = (held: readonly unknown[], more: readonly unknown[]): readonly unknown[] => {
  const merged = [...held]
  for (const piece of more) {
    const last = merged.at(-1)
    if (isEntry(piece) && isEntry(last) && piece.type === last.type && piece.index === last.index)
      merged[merged.length - 1] = grown(last, piece)
    else merged.push(piece)
  }
  return merged
}

const GROWING: readonly string[] = ['text', 'summary', 'data']

const grown = (entry: Entry, piece: Entry): Entry => {
  const result: { [key: string]: unknown } = { ...entry }
  for (const [name, value] of Object.entries(piece)) {
    const before = result[name]
    if (GROWING.includes(name) && typeof before === 'string' && typeof value === 'string') result[name] = before + value
    else if (value !== null && value !== undefined) result[name] = value
  }
  return result
}
