// Takes a Markdown text apart into its top-level code fences and the prose around them.

export type Fence = {
  readonly kind: 'fence'
  /** The word behind the opening marks, in lower case. */
  readonly language: string
  readonly body: string
  readonly closed: boolean
}
export type Prose = { readonly kind: 'prose'; readonly text: string }

const OPENING = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/
const LIST_ITEM = /^\s*([-*+]|\d{1,3}[.)])\s/

/** A fence in a block quote or inside a list item belongs to what is quoted or listed there: it stays prose. */
export const partsOf = (text: string): readonly (Fence | Prose)[] => {
  const parts: (Fence | Prose)[] = []
  let prose: string[] = []
  let open: { readonly mark: string; readonly language: string; readonly lines: string[] } | undefined
  let inList = false

  const endProse = (): void => {
    if (prose.length > 0) parts.push({ kind: 'prose', text: prose.join('\n') })
    prose = []
  }
  const endFence = (closed: boolean): void => {
    if (open !== undefined) parts.push({ kind: 'fence', language: open.language, body: open.lines.join('\n'), closed })
    open = undefined
  }

  for (const line of text.split(/\r?\n/)) {
    if (open !== undefined) {
      const mark = line.trim()
      const closes = mark.length >= open.mark.length && mark === (open.mark[0] ?? '').repeat(mark.length)
      if (closes) endFence(true)
      else open.lines.push(line)
      continue
    }
    const [, indent = '', mark, language = ''] = OPENING.exec(line) ?? []
    if (mark !== undefined && !(inList && indent !== '')) {
      endProse()
      open = { mark, language: language.toLowerCase(), lines: [] }
      continue
    }
    if (LIST_ITEM.test(line)) inList = true
    else if (/^\S/.test(line)) inList = false
    prose.push(line)
  }
  endFence(false)
  endProse()
  return parts
}

/** A span between equal runs of backticks becomes a blank. A run without its partner is only itself. */
const withoutSpans = (line: string): string => {
  const pieces = line.split(/(`+)/) // runs of backticks stand at the odd places
  const alone = new Set<string>()
  const kept: string[] = []
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] ?? ''
    const isRun = i % 2 === 1 && !alone.has(piece)
    const end = isRun ? pieces.indexOf(piece, i + 1) : -1
    if (end > 0) i = end
    else if (isRun) alone.add(piece)
    kept.push(end > 0 ? ' ' : piece)
  }
  return kept.join('')
}

/** Prose without code spans and without lines that are quoted: what the writer says in its own voice. */
export const spoken = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^[ \t]*>/.test(line))
    .map(withoutSpans)
    .join('\n')
