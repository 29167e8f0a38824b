// Follows running text and tells whether it is inside code: a Markdown fence, or a span between backticks on one line.
// Fences as CommonMark has them, in list items and block quotes too; where a fence is written carelessly, it stays open.

export interface CodeSpans {
  push(character: string): void
  /** After the last pushed character, which must not be a backtick or tilde. */
  readonly inside: boolean
  /** The line so far is a block quote. */
  readonly quoted: boolean
}

/** Blanks, marks of block quotes and list markers. */
const PREFIX = /^(?:[ \t>]|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))*/
/** Only the beginning of a line decides. Kept whole, a line of many tags would be read once for each of them. */
const LINE_LIMIT = 1000

export const codeSpans = (): CodeSpans => {
  // The open fence: its mark and length, the quotes and the list item around it, and the column up to which a line may close it.
  let fence = ''
  let fenceQuotes = 0
  let fenceItem = 0
  let lastColumn = 0
  let opens = false
  let closes = false
  // The beginning of the line, and where its content begins.
  let line = ''
  let bare = false
  let column = 0
  let quotes = 0
  let listed = false
  /** The column where the content of the list item around the line begins, 0 for none. */
  let item = 0
  /** The run of backticks or tildes that has not ended yet. */
  let run = ''
  /** Backticks that opened a span on this line. */
  let span = 0

  const locate = () => {
    const prefix = PREFIX.exec(line)?.[0] ?? ''
    bare = prefix === line
    quotes = prefix.split('>').length - 1
    listed = /[^ \t>]/.test(prefix)
    column = 0
    for (const character of prefix) column += character === '\t' ? 4 - (column % 4) : 1 // tab stops
    if (fence === '') item = listed ? column : column < item ? 0 : item
  }

  const add = (text: string) => {
    if (line.length < LINE_LIMIT) line += text
  }

  const endRun = () => {
    if (run === '') return
    const begins = bare && run.length > 2
    const sameMark = run[0] === fence[0]
    if (begins && (fence === '' || quotes < fenceQuotes || column < fenceItem)) {
      fence = run
      fenceQuotes = quotes
      fenceItem = item
      lastColumn = Math.max(item + 3, column)
      opens = true
      span = 0
    } else if (fence === '' || (opens && sameMark && run[0] === '`')) {
      // No backtick may follow the backticks of a fence on their line: it was a span.
      if (fence !== '') span = fence.length
      fence = ''
      if (run[0] === '`') span = span === 0 ? run.length : span === run.length ? 0 : span
    } else {
      closes = begins && sameMark && run.length >= fence.length && quotes === fenceQuotes && column <= lastColumn && !listed
    }
    add(run)
    run = ''
  }

  const endLine = () => {
    if (/\S/.test(line)) locate()
    else if (fenceQuotes > 0) fence = '' // the quote around it has ended
    if (closes) fence = ''
    line = ''
    span = 0
    opens = closes = false
  }

  return {
    push(character) {
      if (character === '`' || character === '~') {
        if (run[0] !== character) endRun()
        if (run === '') locate()
        run += character
        closes = false
        return
      }
      endRun()
      if (character === '\n') endLine()
      else {
        if (/\S/.test(character)) closes = false
        add(character)
      }
    },
    get inside() {
      return fence !== '' || span > 0
    },
    get quoted() {
      locate()
      return quotes > 0
    },
  }
}
