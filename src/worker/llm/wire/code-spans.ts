// Follows running text and tells whether it is inside code: a Markdown fence, or a span between backticks on one line.

export interface CodeSpans {
  push(character: string): void
  /** After the last pushed character, which must not be a backtick or tilde. */
  readonly inside: boolean
  /** The line so far is a block quote. */
  readonly quoted: boolean
}

export const codeSpans = (): CodeSpans => {
  let fence: { readonly mark: string; readonly length: number } | undefined
  let inline = 0
  let run = 0
  let mark = ''
  let atLineStart = true
  let runAtLineStart = false
  let quoted = false

  const endRun = () => {
    if (run === 0) return
    if (runAtLineStart && run >= 3) {
      if (fence === undefined) fence = { mark, length: run }
      else if (fence.mark === mark && run >= fence.length) fence = undefined
    } else if (mark === '`' && fence === undefined) {
      if (inline === 0) inline = run
      else if (inline === run) inline = 0
    }
    run = 0
  }

  return {
    push(character) {
      if (character === '`' || character === '~') {
        if (run > 0 && character !== mark) endRun()
        if (run === 0) runAtLineStart = atLineStart
        mark = character
        run += 1
        atLineStart = false
        return
      }
      endRun()
      if (character === '\n') {
        atLineStart = true
        inline = 0
        quoted = false
        return
      }
      if (atLineStart && character === '>') quoted = true
      if (character !== ' ' && character !== '\t') atLineStart = false
    },
    get inside() {
      return fence !== undefined || inline > 0
    },
    get quoted() {
      return quoted
    },
  }
}
