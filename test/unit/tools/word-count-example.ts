// The example of the README of src/worker/tools, word for word, so that it stays true.
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import type { ToolDefinition } from '../../../src/worker/tools/tool.ts'

export const wordCount = (): ToolDefinition =>
  defineTool({
    name: 'word_count',
    description: 'Count the words of a text.',
    parameters: { text: { type: 'string', required: true } },
    readOnly: true,
    isConcurrencySafe: () => true,
    execute: ({ text }) => `${text.split(/\s+/).filter(Boolean).length} words`,
  })
