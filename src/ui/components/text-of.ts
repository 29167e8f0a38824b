// The words in content blocks, for places that show plain text.
import type { ContentBlock } from '../../storage/log/content.ts'

export const textOf = (content: readonly ContentBlock[]): string =>
  content
    .map(wordsOf)
    .filter((words) => words !== '')
    .join('\n')

const wordsOf = (block: ContentBlock): string => {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return block.text
    case 'image':
      return `[picture${block.name === undefined ? '' : `: ${block.name}`}]`
    case 'tool-call':
      return ''
    case 'tool-result':
      return textOf(block.content)
  }
}
