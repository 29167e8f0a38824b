// The tool `read_file`: text with line numbers, whole or a range of lines.
import { defineTool } from './define-tool.ts'
import type { ToolDefinition, ToolReturn } from './tool.ts'
import { type FileCapability, workspaceOf } from './workspace-of.ts'

const MOST_LINES = 2_000
const MOST_CHARACTERS = 60_000
const LONGEST_LINE = 2_000

/** `meta`: `{ path, version, bytes, lines, from, to }`; `lines` of the whole file, `from` and `to` of what was shown. */
export const readFile = (files: FileCapability): ToolDefinition =>
  defineTool({
    name: 'read_file',
    description: `Read a text file. Lines come back as "number<TAB>text". Long files come in parts of ${MOST_LINES} lines: go on with "from".`,
    parameters: {
      path: { type: 'string', required: true, description: 'For example /notes/today.md' },
      from: { type: 'integer', minimum: 1, description: 'First line, default 1' },
      to: { type: 'integer', minimum: 1, description: 'Last line' },
    },
    readOnly: true,
    isConcurrencySafe: () => true,
    async execute({ path, from = 1, to }, context): Promise<ToolReturn> {
      const file = await workspaceOf(files, context).readText(path)
      const { text, ...facts } = file
      if (file.lines === 0) return { content: [{ type: 'text', text: `${file.path} is empty.` }], meta: { ...facts, from: 0, to: 0 } }
      if (from > file.lines) throw new RangeError(`${file.path} has only ${file.lines} lines; "from" is ${from}.`)
      if (to !== undefined && to < from) throw new RangeError(`"to" (${to}) is before "from" (${from}).`)
      const shown = numbered(text, from, Math.min(to ?? file.lines, file.lines))
      const isWhole = from === 1 && shown.to === file.lines
      const note = isWhole ? '' : `\n[lines ${from} to ${shown.to} of ${file.lines}]`
      return { content: [{ type: 'text', text: shown.text + note }], meta: { ...facts, from, to: shown.to } }
    },
  })

const numbered = (text: string, from: number, to: number): { readonly text: string; readonly to: number } => {
  const lines = text.split('\n').slice(from - 1, Math.min(to, from + MOST_LINES - 1))
  const shown: string[] = []
  let characters = 0
  for (const [index, line] of lines.entries()) {
    const cut = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… ${line.length - LONGEST_LINE} more characters` : line
    characters += cut.length
    if (characters > MOST_CHARACTERS && shown.length > 0) break
    shown.push(`${from + index}\t${cut}`)
  }
  return { text: shown.join('\n'), to: from + shown.length - 1 }
}
