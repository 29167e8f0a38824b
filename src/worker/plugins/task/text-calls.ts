// Reads the calls of a model that has no native tools out of its text (T15): shell blocks, `tool_code` blocks, `bash{…}` in prose.
import type { ToolCallBlock } from '../../../storage/log/content.ts'
import { partsOf, spoken } from './fences.ts'
import { MOST_UNREADABLE, type ReadCall, readObject, readToolCode } from './tool-code.ts'
import { SHELL_LANGUAGES } from './written-call.ts'

/** Where shell blocks go. */
const SHELL_TOOL = 'bash'

/** `$ ls` as it stands in a terminal is `ls`. */
const withoutPrompts = (body: string): string => {
  const lines = body.split('\n')
  const shown = lines.filter((line) => line.trim() !== '')
  return shown.length > 0 && shown.every((line) => line.startsWith('$ ')) ? lines.map((line) => line.replace(/^\$ /, '')).join('\n') : body
}

const ofShell = (body: string, tools: readonly string[]): readonly ReadCall[] => {
  const command = withoutPrompts(body).trim()
  return command === '' || !tools.includes(SHELL_TOOL) ? [] : [{ name: SHELL_TOOL, arguments: { command } }]
}

const ofProse = (text: string, tools: readonly string[]): readonly ReadCall[] => {
  const said = spoken(text)
  const calls: ReadCall[] = []
  const opening = /(?<![\w.-])([A-Za-z_][\w-]*)\s*(?=\{\s*")/g
  let unreadable = 0
  for (let found = opening.exec(said); found !== null && unreadable < MOST_UNREADABLE; found = opening.exec(said)) {
    const name = found[1] ?? ''
    if (!tools.includes(name)) continue
    const read = readObject(said, opening.lastIndex)
    if (read === undefined) unreadable++
    else {
      calls.push({ name, arguments: read.value })
      opening.lastIndex = read.end
    }
  }
  return calls
}

/** In the order in which they stand there. Their ids are empty: the loop makes them. A block that was not closed is no call. */
export const readTextCalls = (answer: string, tools: readonly string[]): readonly ToolCallBlock[] =>
  partsOf(answer)
    .flatMap((part): readonly ReadCall[] => {
      if (part.kind === 'prose') return ofProse(part.text, tools)
      if (!part.closed) return []
      if (SHELL_LANGUAGES.includes(part.language)) return ofShell(part.body, tools)
      return part.language === 'tool_code' ? readToolCode(part.body, tools) : []
    })
    .map(({ name, arguments: args }) => ({ type: 'tool-call', id: '', name, arguments: JSON.stringify(args) }))
