// Results for a vendor whose results hold text only: their pictures follow in one user message, each with the call that it came from.
import type { HistoryResult, UserPart } from './history.ts'
import type { Pictures } from './pictures.ts'

export type TextResults = {
  readonly texts: readonly { readonly id: string; readonly name: string; readonly text: string }[]
  /** What the user message after the last result shows; empty without pictures. */
  readonly shown: readonly UserPart[]
}

export const resultsAsText = (results: readonly HistoryResult[], pictures: Pictures): TextResults => {
  const shown: UserPart[] = []
  const texts = results.map(({ id, name, parts }) => {
    const words = parts.map((part) => {
      if (part.type === 'text') return part.text
      const found = pictures(part)
      if (!('url' in found)) return found.note
      shown.push({ type: 'text', text: `Picture from the result of call ${id} (${name}):` }, part)
      return '(A picture of this result follows in the next user message.)'
    })
    return { id, name, text: words.join('\n') }
  })
  return { texts, shown }
}
