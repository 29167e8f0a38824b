// Takes calls out of the text of models that may write them so (W9): hidden from the text, typed by the schema, declared tools only.
import { fitSchema } from '../../fit-schema.ts'
import { jsonOf } from '../../json-text.ts'
import { readArguments } from '../../tool-arguments.ts'
import { markerScanner } from '../marker-scanner.ts'
import type { FindTextCalls } from '../reply-reader.ts'
import { MARKERS, parseMarkup, type WrittenCall } from './parse-markup.ts'

/** Markup in code, in a quotation or for a tool that was not declared stays text, as it was written. */
export const textCalls: FindTextCalls = (context, to) => {
  const scanner = markerScanner(MARKERS, 'outside-code')
  let markup: string | undefined
  let afterCall = false

  const text = (piece: string) => {
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

  /** What follows the markup, or `undefined` while it is not decided. */
  const settle = (written: string): string | undefined => {
    const parsed = parseMarkup(written)
    if (parsed === 'more') return undefined
    if (parsed !== 'none' && parsed.calls.every((call) => toolOf(call) !== undefined)) {
      send(parsed.calls)
      return written.slice(parsed.end)
    }
    const marker = MARKERS.find((candidate) => written.startsWith(candidate)) ?? ''
    text(marker)
    return written.slice(marker.length)
  }

  const push = (piece: string) => {
    let rest = piece
    while (rest !== '') {
      if (markup === undefined) {
        const step = scanner.push(rest)
        text(step.text)
        if (step.found === undefined) return
        markup = step.found
        rest = step.rest
      }
      markup += rest
      // Read again only when something came that can end it: the text of an argument may be long.
      if (!/[>\]}]/.test(rest)) return
      const after = settle(markup)
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
        const name = /"name"\s*:\s*"([^"]+)"|<function=([^>\n]+)>|invoke name="([^"]+)"|\[TOOL_CALLS\]\s*([\w.-]+)/.exec(written)
        const named = name?.[1] ?? name?.[2] ?? name?.[3] ?? name?.[4] ?? ''
        // The end tag alone may be missing.
        const parsed = parseMarkup(`${written}\0`)
        if (parsed !== 'more' && parsed !== 'none' && parsed.calls.every((call) => toolOf(call) !== undefined)) {
          send(parsed.calls)
          push(written.slice(parsed.end))
        } else if (ending === 'cut' && context.tools?.some((tool) => tool.name === named.trim()) === true) {
          to.call({ name: named.trim(), arguments: written, whole: true })
        } else {
          text(written)
        }
      }
      text(scanner.flush())
    },
  }
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
