// The entries of `reasoning_details` (OpenRouter) and `thinking_blocks` (LiteLLM), streamed in pieces, as the whole entries that must go back unchanged.

type Entry = { readonly [key: string]: unknown }
const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Pieces of the same type and index are one entry: its text grows, its other fields are the latest that were not null. */
export const mergeDetails = (held: readonly unknown[], more: readonly unknown[]): readonly unknown[] => {
  const merged = [...held]
  for (const piece of more) {
    const last = merged.at(-1)
    if (isEntry(piece) && isEntry(last) && piece.type === last.type && piece.index === last.index && !begins(piece, last))
      merged[merged.length - 1] = grown(last, piece)
    else merged.push(piece)
  }
  return merged
}

/** Without an index a closed block is whole at once, and thinking behind a signature is another block. */
const begins = (piece: Entry, last: Entry): boolean =>
  piece.index === undefined && (Boolean(piece.data) || (Boolean(last.signature) && Boolean(piece.thinking)))

const GROWING: readonly string[] = ['text', 'summary', 'data', 'thinking']

const grown = (entry: Entry, piece: Entry): Entry => {
  const result: { [key: string]: unknown } = { ...entry }
  for (const [name, value] of Object.entries(piece)) {
    const before = result[name]
    if (GROWING.includes(name) && typeof before === 'string' && typeof value === 'string') {
      // The signature may come with all of the thinking once more.
      const again = name === 'thinking' && Boolean(piece.signature) && value.startsWith(before)
      result[name] = again ? value : before + value
    } else if (value !== null && value !== undefined && value !== '') result[name] = value
  }
  return result
}
