// The words of a message, apart from the pictures that came with them.
import type { ContentBlock } from '../../storage/log/content.ts'

export const wordsIn = (content: readonly ContentBlock[]): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')

/** The same message in other words: everything that is no text stays, in its place. */
export const inOtherWords = (content: readonly ContentBlock[], words: string): readonly ContentBlock[] => {
  const first = content.findIndex(({ type }) => type === 'text')
  const text = { type: 'text', text: words } as const
  if (first < 0) return [...content, text]
  return content.flatMap((block, at): readonly ContentBlock[] => (at === first ? [text] : block.type === 'text' ? [] : [block]))
}
