// The words of a message, apart from the pictures and the long texts that came with them.
import type { ContentBlock } from '../../storage/log/content.ts'

/** Characters from which on a text stands beside what is written: a field of such a length makes each key wait. */
export const LONG_TEXT = 10_000

/** What came into a field at once and is too long for it, and what is left without that; undefined while it is not. */
export const longInput = (before: string, after: string): { readonly piece: string; readonly rest: string } | undefined => {
  if (after.length - before.length < LONG_TEXT) return undefined
  const most = before.length
  let begin = 0
  while (begin < most && before[begin] === after[begin]) begin++
  let end = 0
  while (end < most - begin && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return { piece: after.slice(begin, after.length - end), rest: after.slice(0, begin) + after.slice(after.length - end) }
}

const isWords = (block: ContentBlock): boolean => block.type === 'text' && block.text.length < LONG_TEXT

/** What a person writes in a field: short texts, without what stands beside them. */
export const wordsIn = (content: readonly ContentBlock[]): string =>
  content.flatMap((block) => (block.type === 'text' && isWords(block) ? [block.text] : [])).join('\n')

export const besideWords = (content: readonly ContentBlock[]): readonly ContentBlock[] => content.filter((block) => !isWords(block))

/** The same message in other words: everything else stays, in its place. */
export const inOtherWords = (content: readonly ContentBlock[], words: string): readonly ContentBlock[] => {
  const first = content.findIndex(isWords)
  const text = words === '' ? [] : [{ type: 'text', text: words } as const]
  if (first < 0) return [...text, ...content]
  return content.flatMap((block, at): readonly ContentBlock[] => (at === first ? text : isWords(block) ? [] : [block]))
}
