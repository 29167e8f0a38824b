// Takes the thinking out of the text of models that write it between think tags (W5). The tags may be cut anywhere.
import { type MarkerScanner, markerScanner } from './marker-scanner.ts'

/** `seed:` from Seed-OSS, brackets from Magistral. */
const TAGS: readonly string[] = ['<think>', '<thinking>', '<thought>', '<seed:think>', '[THINK]']
const closingOf = (tag: string): string => `${tag[0]}/${tag.slice(1)}`

/** Open models whose templates write think tags, which many servers pass on as text. */
const TAG_WRITERS =
  /deepseek-?r1|r1-distill|qwq|qwen-?3|magistral|smollm3|glm-?4\.[5-9]|glm-?z1|minimax-?m|seed-oss|nemotron|phi-?4.*reasoning|thinking/i

/** Tags are looked for only where they are known to come, because other text may speak of them. */
export const writesTags = (model: string): boolean => TAG_WRITERS.test(model)

export interface TextFilter {
  push(piece: string): void
  end(): void
}

/** An opening tag inside code is text. Blanks right after a closing tag belong to nobody and are dropped. */
export const taggedThinking = (to: { text(piece: string): void; reasoning(piece: string): void }): TextFilter => {
  // A closing tag alone: the template had opened it in the prompt. What came before was shown already and stays text, with its
  // blanks, for every cut of the stream; the tag is not shown. To start inside would hide whole replies of servers that part
  // thinking from text themselves, and no name of a model tells which servers do.
  const outside = markerScanner([...TAGS, ...TAGS.map(closingOf)], 'outside-code')
  let inside: MarkerScanner | undefined
  let justClosed = false

  const show = (piece: string) => {
    const shown = justClosed ? piece.trimStart() : piece
    if (shown === '') return
    justClosed = false
    if (inside === undefined) to.text(shown)
    else to.reasoning(shown)
  }

  return {
    push(piece) {
      let rest = piece
      while (rest !== '') {
        const step = (inside ?? outside).push(rest)
        show(step.text)
        if (step.found === undefined) return
        justClosed = inside !== undefined
        inside = inside === undefined && TAGS.includes(step.found) ? markerScanner([closingOf(step.found)], 'anywhere') : undefined
        rest = step.rest
      }
    },
    end() {
      show((inside ?? outside).flush())
    },
  }
}
