// Takes calls out of the text of models that may write them so (W9): hidden from the text, typed by the schema, declared tools only.
import { fitSchema } from '../../fit-schema.ts'
import { jsonOf } from '../../json-text.ts'
import { readArguments } from '../../tool-arguments.ts'
import { markerScanner } from '../marker-scanner.ts'
import type { FindTextCalls } from '../reply-reader.ts'
import { END_MARKERS, MARKERS, type Markup, parseMarkup, type WrittenCall } from './parse-markup.ts'

const BLANK_LINE = /\n[ \t\r]*\n/
/** Markup that may become whole is read again when it is longer by this: a long argument must not be read once for each of its pieces. */
const GROWTH = 1.1

/** Markup in code, in a quotation or for a tool that was not declared stays text, as it was written. */
export const textCalls: FindTextCalls = (context, to) => {
  const scanner = markerScanner([...MARKERS, ...END_MARKERS], 'outside-code')
  let markup: string | undefined
  /** The length at which it was not whole yet. */
  let tried = 0
  let afterCall = false
  const before = openSpans()
  /** Backticks that were open in the paragraph when the markup began. */
  let opened = 0

  const text = (piece: string) => {
    before.push(piece)
    const shown = afterCall ? piece.trimStart() : piece
    if (shown === '') return
    afterCall = false
    to.text(shown)
  }

  const toolOf = (call: WrittenCall) => context.tools?.find((tool) => tool.name === call.name)

  const send = (calls: readonly WrittenCall[]) => {
    for (const call of calls) to.call({ name: call.name, arguments: argumentText(call, toolOf(call)?.parameters), whole: true })
    afterCall = true
  }

  /** Sends the calls, or shows the marker; gives what follows. */
  const follow = (written: string, parsed: Exclude<Markup, 'more'>): string => {
    if (parsed !== 'none' && parsed.calls.every((call) => toolOf(call) !== undefined)) {
      send(parsed.calls)
      return written.slice(parsed.end)
    }
    const marker = MARKERS.find((candidate) => written.startsWith(candidate)) ?? ''
    text(marker)
    return written.slice(marker.length)
  }

  /** What follows the markup, or `undefined` while it is not decided. */
  const settle = (written: string): string | undefined => {
    const inSpan = isInSpan(opened, written)
    if (inSpan === undefined) return undefined
    const parsed = inSpan ? 'none' : parseMarkup(written)
    return parsed === 'more' ? undefined : follow(written, parsed)
  }

  const push = (piece: string) => {
    let rest = piece
    while (rest !== '') {
      if (markup === undefined) {
        const step = scanner.push(rest)
        text(step.text)
        if (step.found === undefined) return
        rest = step.rest
        if (END_MARKERS.includes(step.found)) {
          // The end of a frame that was never opened belongs to the call before it.
          if (!afterCall) text(step.found)
          continue
        }
        markup = step.found
        opened = before.opened()
      }
      markup += rest
      // Only when something came that can end it.
      if (!/[>\]}]/.test(rest) || markup.length < tried * GROWTH) return
      const after = settle(markup)
      tried = after === undefined ? markup.length : 0
      if (after === undefined) return
      markup = undefined
      rest = after
    }
  }

  return {
    push,
    end(ending) {
      while (markup !== undefined) {
        const written: string = markup
        markup = undefined
        tried = 0
        // The end tag alone may be missing.
        const parsed = isInSpan(opened, `${written}\0`) === true ? 'none' : parseMarkup(`${written}\0`)
        if (parsed === 'more') {
          const name = /"name"\s*:\s*"([^"]+)"|<function=([^>\n]+)>|invoke name="([^"]+)"|(?:\[TOOL_CALLS\]|<tool_call>)\s*([\w.-]+)/.exec(
            written,
          )
          const named = (name?.slice(1).find((group) => group !== undefined) ?? '').trim()
          const isCut = ending === 'cut' && context.tools?.some((tool) => tool.name === named) === true
          if (isCut) to.call({ name: named, arguments: written, whole: true })
          else text(written)
        } else push(follow(written, parsed))
      }
      text(scanner.flush())
    },
  }
}

/** Follows running text: the length of the backticks that opened a span in its last paragraph and were not closed, or 0. */
const openSpans = () => {
  let opened = 0
  /** Backticks, or a line that is blank so far: what follows decides. */
  let tail = ''
  const follow = (text: string) => {
    const paragraphs = text.split(BLANK_LINE)
    if (paragraphs.length > 1) opened = 0
    for (const [ticks] of (paragraphs.at(-1) ?? '').matchAll(/`+/g)) {
      if (opened === 0) opened = ticks.length
      else if (opened === ticks.length) opened = 0
    }
  }
  return {
    push(piece: string) {
      const text = tail + piece
      tail = /(?:`+|(?:\n[ \t\r]*)+)$/.exec(text)?.[0] ?? ''
      follow(text.slice(0, text.length - tail.length))
    },
    /** Before something that is neither. */
    opened() {
      follow(tail)
      tail = ''
      return opened
    },
  }
}

/** Whether as many backticks as were opened before end the span before the paragraph ends; `undefined` while neither has come. */
const isInSpan = (opened: number, written: string): boolean | undefined => {
  if (opened === 0) return false
  const end = new RegExp(`(?<!\`)\`{${opened}}(?=[^\`])|${BLANK_LINE.source}`).exec(written)
  return end === null ? undefined : end[0].startsWith('`')
}

const argumentText = (call: WrittenCall, schema: unknown): string => {
  if (typeof call.arguments === 'string') {
    const read = readArguments(call.arguments)
    if (!read.ok) return call.arguments
    const inner = fitSchema(read.value, schema)
    return inner.ok ? JSON.stringify(inner.value) : call.arguments
  }
  const fitted = fitSchema(call.arguments, schema)
  return fitted.ok ? JSON.stringify(fitted.value) : jsonOf(call.arguments)
}
