// Code in parts of some lines, so that a growing block changes its last part only and a browser lays out that part only.

/** `parts` joined by a line end give `text`. */
export type CodeParts = { readonly text: string; readonly parts: readonly string[] }

export const NO_CODE: CodeParts = { text: '', parts: [] }

const LINES = 40
/** Also one line alone may be huge (minified code). */
const MAX_PART = 8_000

/** Continues from what was there before, if the text begins with it. */
export const splitCode = (before: CodeParts, text: string): CodeParts => {
  if (text === before.text) return before
  const continues = before.parts.length > 0 && text.startsWith(before.text)
  const parts = continues ? before.parts.slice(0, -1) : []
  let begin = continues ? before.text.length - (before.parts.at(-1)?.length ?? 0) : 0
  for (;;) {
    const end = endOfPart(text, begin)
    parts.push(text.slice(begin, end))
    if (end >= text.length) return { text, parts }
    begin = end + 1
  }
}

const endOfPart = (text: string, begin: number): number => {
  let at = begin
  for (let lines = 0; lines < LINES && at - begin < MAX_PART; lines++) {
    const next = text.indexOf('\n', at)
    if (next < 0) return text.length
    if (lines === LINES - 1 || next - begin >= MAX_PART) return next
    at = next + 1
  }
  return at - 1
}
