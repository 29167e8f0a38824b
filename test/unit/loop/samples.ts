// Small things that many tests of the loop use.
import type { ContentBlock } from '../../../src/storage/log/content.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'

export const words = (text: string): readonly ContentBlock[] => [{ type: 'text', text }]

/** What a caller without types may pass. */
export const wrong = (value: unknown): never => value as never

export const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  parameters: { text: { type: 'string', required: true } },
  execute: ({ text }) => text,
})
