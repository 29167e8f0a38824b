// Markdown to tokens by marked's lexer, with guards: text from a model may be built to make a parser slow.
import type { MarkedToken } from 'marked'
import { Lexer } from 'marked'

/** `plain` is text that is shown as it is, because parsing it could take too long. */
export type Plain = { readonly type: 'plain'; readonly raw: string; readonly text: string }
export type Inline = MarkedToken | Plain
export type Block = MarkedToken | Plain

/**
 * Emphasis and address matching look back over a run for each delimiter, so their time grows with the square of its length. Measured
 * on the slow machine of the tests: `**a**` 16,000 times 690 ms, `a.` 16,000 times then `@` 1,600 ms. These limits keep every run
 * that was tried below 15 ms, and no prose that a person would read reaches them.
 */
const MAX_RUN = 16_000
const MAX_WORD = 2_000
const LONG_RUN = 4_000
const MAX_DELIMITERS = 500
/** Nested quotes and lists are parsed by recursion, one level each: 2,000 levels overflow the stack, 400 take half a second. */
const DEEP = /^(?:(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){50,}|[ \t]{200,})/m

/** `reaches`: something in it bears on text outside of it, so that a text in parts must be parsed once more as a whole. */
export type Lexed = { readonly blocks: readonly Block[]; readonly reaches: boolean }

/** Blocks of a whole text, or of a part that begins at a block's edge. `\r` must be gone already. */
export const lexMarkdown = (source: string): Lexed => {
  if (DEEP.test(source)) return allPlain(source)
  const lexer = new Lexer({ gfm: true, breaks: true })
  try {
    lexer.blockTokens(source, lexer.tokens)
    for (const { src, tokens } of lexer.inlineQueue) {
      // A raw block opened in one paragraph must not reach into the next: blocks are parsed apart while they stream.
      lexer.state.inRawBlock = false
      lexer.state.inLink = false
      if (isSlow(src)) tokens.push(plainToken(src))
      else lexer.inlineTokens(src, tokens)
    }
  } catch {
    return allPlain(source) // the lexer gave up (too deep, or a construct it calls endless): the words are still readable
  }
  // A link's definition serves every paragraph, also those before it.
  return { blocks: lexer.tokens as readonly MarkedToken[], reaches: Object.keys(lexer.tokens.links).length > 0 }
}

const allPlain = (source: string): Lexed => ({ blocks: [plain(source)], reaches: true })

const plain = (raw: string): Plain => ({ type: 'plain', raw, text: raw })

/** marked's own list of tokens is open to extensions, and `plain` is ours. */
const plainToken = (raw: string) => ({ ...plain(raw) })

const isSlow = (run: string): boolean => {
  if (run.length <= MAX_WORD) return false
  if (run.length > MAX_RUN || hasLongWord(run)) return true
  return run.length > LONG_RUN && countDelimiters(run) > MAX_DELIMITERS
}

const hasLongWord = (run: string): boolean => {
  let begin = 0
  for (let at = 0; at < run.length; at++) {
    if (run.charCodeAt(at) <= 32) begin = at + 1
    else if (at - begin >= MAX_WORD) return true
  }
  return false
}

const countDelimiters = (run: string): number => run.match(/[*_~`[\]<@&!\\]/g)?.length ?? 0
