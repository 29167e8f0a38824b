// The forms in which models write calls as text, read from the marker on: JSON in tags, tagged parameters, Mistral's list.
import { type ReadValue, readJsonText } from '../../json-text.ts'

export type WrittenCall = { readonly name: string; readonly arguments: ReadValue | string }
/** `more`: it may still become whole. `none`: it is not a call, and will not become one. */
export type Markup = { readonly calls: readonly WrittenCall[] /** Where the markup ends. */; readonly end: number } | 'more' | 'none'

type Cursor = { readonly text: string; at: number }

/** DeepSeek's mark, with the bars that servers make of it. */
const DSML: readonly string[] = ['｜', '｜｜', '|', '||', '‖'].map((bar) => `${bar}DSML${bar}`)

/** In the order in which a text is compared with them; the longest of a family first. */
export const MARKERS: readonly string[] = [
  '<tool_call>',
  '<function=',
  '<function_calls>',
  '<invoke name=',
  ...DSML.map((mark) => `<${mark}`),
  '[TOOL_CALLS]',
]
/** Ends of a frame around calls. Some models write only these. */
export const END_MARKERS: readonly string[] = [
  '</tool_call>',
  '</function_calls>',
  ...DSML.flatMap((mark) => ['function_calls', 'tool_calls', 'calls'].flatMap((frame) => [`</${mark}${frame}>`, `</${mark} ${frame}>`])),
]

/** `text` begins with one of the markers. */
export const parseMarkup = (text: string): Markup => {
  const cursor: Cursor = { text, at: 0 }
  try {
    const calls = topLevel(cursor)
    return { calls, end: cursor.at }
  } catch (stop) {
    if (stop instanceof Incomplete) return 'more'
    if (stop instanceof NoMarkup) return 'none'
    throw stop
  }
}

const topLevel = (cursor: Cursor): WrittenCall[] => {
  if (take(cursor, '[TOOL_CALLS]')) return mistral(cursor)
  if (take(cursor, '<tool_call>')) {
    blanks(cursor)
    if (/[\w.-]/.test(cursor.text[cursor.at] ?? '')) return [tagged(cursor, GLM)]
    const calls = peek(cursor, '<function=') ? [tagged(cursor, QWEN)] : [hermes(cursor)]
    // Several in one frame are all called, or none is.
    while (!closing(cursor, '</tool_call>') && peek(cursor, '{')) calls.push(hermes(cursor))
    return calls
  }
  if (peek(cursor, '<function=')) return [tagged(cursor, QWEN)]
  const [, mark = '', frame] = /^<(?:([｜|‖]+DSML[｜|‖]+ ?))?(?:(\w*calls)>)?/.exec(cursor.text) ?? []
  const form = invokeForm(mark)
  if (frame === undefined) return [tagged(cursor, form)]
  take(cursor, `<${mark}${frame}>`)
  const calls: WrittenCall[] = []
  for (;;) {
    blanks(cursor)
    if (calls.length > 0 && take(cursor, `</${mark}${frame}>`)) return calls
    calls.push(tagged(cursor, form))
  }
}

/** `{"name": …, "arguments": {…} or "{…}"}` */
const hermes = (cursor: Cursor): WrittenCall => callOf(json(cursor))

const callOf = (value: ReadValue): WrittenCall => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NoMarkup()
  const fields: { readonly [key: string]: ReadValue } = Object.fromEntries(Object.entries(value))
  const name = fields.name
  if (typeof name !== 'string') throw new NoMarkup()
  return { name, arguments: fields.arguments ?? fields.parameters ?? {} }
}

/** `[{"name": …, "arguments": …}, …]`, or `name[ARGS]{…}`, the markers between being optional. */
const mistral = (cursor: Cursor): WrittenCall[] => {
  blanks(cursor)
  if (cursor.text[cursor.at] === '[') {
    const list = json(cursor)
    if (!Array.isArray(list) || list.length === 0) throw new NoMarkup()
    return list.map(callOf)
  }
  const [, name] = expect(cursor, /([\w.-]+)\s*(?:\[CALL_ID\]\w+)?\s*(?:\[ARGS\])?\s*(?=\{)/y, /[\w.-]*\s*(\[[\w\]]*\s*)*/y)
  return [{ name: name!, arguments: json(cursor) }]
}

type TaggedForm = {
  readonly open: RegExp
  readonly parameter: RegExp
  /** What `open` and `parameter` look like before they are whole. */
  readonly part: RegExp
  readonly endParameter: string
  readonly endCall: string
}
const PART_OF_TAG = /<[^<>\n]*/y
const QWEN: TaggedForm = {
  open: /<function=([^>\n]+)>/y,
  parameter: /<parameter=([^>\n]+)>/y,
  part: PART_OF_TAG,
  endParameter: '</parameter>',
  endCall: '</function>',
}
const GLM: TaggedForm = {
  open: /([\w.-]+)\s*(?=<arg_key>|<\/tool_call>)/y,
  parameter: /<arg_key>([^<>]+)<\/arg_key>\s*<arg_value>/y,
  part: /[\w.-]*\s*(<[^<>\n]*(>[^<>]*(<[^<>\n]*(>\s*(<[^<>\n]*)?)?)?)?)?/y,
  endParameter: '</arg_value>',
  endCall: '</tool_call>',
}
const invokeForm = (mark: string): TaggedForm => {
  const written = mark.replaceAll('|', '\\|')
  return {
    open: new RegExp(`<${written}invoke name="([^"\\n]+)"\\s*>`, 'y'),
    parameter: new RegExp(`<${written}parameter name="([^"\\n]+)"(?:\\s+string="(true|false)")?\\s*>`, 'y'),
    part: PART_OF_TAG,
    endParameter: `</${mark}parameter>`,
    endCall: `</${mark}invoke>`,
  }
}

const tagged = (cursor: Cursor, form: TaggedForm): WrittenCall => {
  const [, name] = expect(cursor, form.open, form.part)
  const entries: [string, ReadValue][] = []
  blanks(cursor)
  if (cursor.text[cursor.at] === '{') {
    const written = json(cursor)
    blanks(cursor)
    need(cursor, form.endCall)
    return { name: name!.trim(), arguments: written }
  }
  for (;;) {
    blanks(cursor)
    if (take(cursor, form.endCall)) return { name: name!.trim(), arguments: Object.fromEntries(entries) }
    const [, key, isText] = expect(cursor, form.parameter, form.part)
    entries.push([key!.trim(), parameterValue(cursor, form, isText)])
  }
}

/** A value ends where its end tag is followed by the next parameter or by the end of the call: text may hold the tag itself. */
const parameterValue = (cursor: Cursor, form: TaggedForm, isText: string | undefined): ReadValue => {
  const start = cursor.at
  for (let from = start; ; ) {
    const end = cursor.text.indexOf(form.endParameter, from)
    if (end < 0) throw new Incomplete()
    cursor.at = end + form.endParameter.length
    blanks(cursor)
    form.parameter.lastIndex = cursor.at
    const rest = cursor.text.slice(cursor.at)
    if (peek(cursor, form.endCall) || form.parameter.test(cursor.text)) {
      const written = cursor.text.slice(start, end)
      if (isText === 'true') return written
      // One line break on either side belongs to the markup.
      const value = written.replace(/^\r?\n/, '').replace(/\r?\n$/, '')
      const read = isText === 'false' ? readJsonText(value) : undefined
      return read?.ok === true ? read.value : value
    }
    if (form.endCall.startsWith(rest) || mayBecome(form.part, rest)) throw new Incomplete()
    from = end + 1
  }
}

const json = (cursor: Cursor): ReadValue => {
  const read = readJsonText(cursor.text, cursor.at)
  if (!read.ok) throw read.reason === 'truncated' ? new Incomplete() : new NoMarkup()
  cursor.at = read.end
  return read.value
}

const blanks = (cursor: Cursor) => {
  while (/\s/.test(cursor.text[cursor.at] ?? '')) cursor.at += 1
}
const peek = (cursor: Cursor, word: string): boolean => cursor.text.startsWith(word, cursor.at)
const take = (cursor: Cursor, word: string): boolean => {
  if (!peek(cursor, word)) {
    const rest = cursor.text.slice(cursor.at)
    if (rest !== '' && word.startsWith(rest)) throw new Incomplete()
    return false
  }
  cursor.at += word.length
  return true
}
const need = (cursor: Cursor, word: string) => {
  if (!take(cursor, word)) throw cursor.at >= cursor.text.length ? new Incomplete() : new NoMarkup()
}
/** The end tag of calls that are whole without it: taken if it is there, waited for if it may come; blanks before another object go. */
const closing = (cursor: Cursor, word: string): boolean => {
  const after = cursor.at
  blanks(cursor)
  if (cursor.at >= cursor.text.length) throw new Incomplete()
  if (take(cursor, word)) return true
  if (!peek(cursor, '{')) cursor.at = after
  return false
}
const expect = (cursor: Cursor, pattern: RegExp, part: RegExp): RegExpExecArray => {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)
  if (found === null) throw mayBecome(part, cursor.text.slice(cursor.at)) ? new Incomplete() : new NoMarkup()
  cursor.at += found[0].length
  return found
}
/** All that there is so far is a beginning of it. */
const mayBecome = (part: RegExp, text: string): boolean => {
  part.lastIndex = 0
  return text === '' || part.exec(text)?.[0].length === text.length
}

class Incomplete {
  readonly incomplete = true
}
class NoMarkup {
  readonly noMarkup = true
}
