// Makes outcomes of tool calls: from what a tool returned, and from everything that can go wrong.
import type { ContentBlock } from '../../storage/log/content.ts'
import { messageOf } from '../../storage/log/errors.ts'
import { freezeJson } from '../../storage/log/lossless-json.ts'
import type { HookContext, ToolOutcome } from '../hooks/tool.ts'
import { isRecord } from './record.ts'
import type { ToolErrorCode } from './tool.ts'

const NOT_JSON_MESSAGE = 'tool result must be losslessly JSON-serializable'

/** One text block `Error: MESSAGE`. */
export const failed = (code: ToolErrorCode, message: string, name = 'ToolError'): ToolOutcome => ({
  content: [{ type: 'text', text: `Error: ${message}` }],
  isError: true,
  error: { name, code },
})

/** Everything a tool may throw, also what is no Error. */
export const thrown = (code: ToolErrorCode, error: unknown): ToolOutcome =>
  failed(code, messageOf(error), error instanceof Error && typeof error.name === 'string' ? error.name : 'Error')

export const notJson = (): ToolOutcome => failed('NOT_JSON', NOT_JSON_MESSAGE, 'TypeError')

/** Text, blocks, or `{ content, isError?, meta? }`. Anything else is a mistake of the tool, and said so. */
export const returned = (value: unknown): ToolOutcome => {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }], isError: false }
  const isBare = Array.isArray(value)
  if (!isBare && !(isRecord(value) && Array.isArray(value.content))) return wrongReturn(value)
  const content: readonly unknown[] = isBare ? value : (value as { readonly content: readonly unknown[] }).content
  if (!content.every(isBlock)) return wrongReturn(value)
  if (isBare || !isRecord(value)) return { content, isError: false }
  const outcome = { content, isError: value.isError === true, ...(value.meta === undefined ? {} : { meta: value.meta }) }
  // What `meta` holds is judged by the lossless-JSON check at the end of the pipeline.
  return outcome as ToolOutcome
}

const wrongReturn = (value: unknown): ToolOutcome =>
  isLossless(value)
    ? failed('TOOL_FAILED', 'the tool returned something that is neither text nor content blocks nor { content, isError?, meta? }')
    : notJson()

const isLossless = (value: unknown): boolean => {
  try {
    freezeJson(value)
    return true
  } catch {
    return false // that is the answer
  }
}

const isBlock = (block: unknown): block is ContentBlock => {
  if (!isRecord(block)) return false
  if (block.type === 'text' || block.type === 'reasoning') return typeof block.text === 'string'
  if (block.type === 'image') return typeof block.blob === 'string' && typeof block.mediaType === 'string'
  return false // calls and results are the loop's business, never part of a tool's result
}

/** A frozen copy that may be logged, or the error that stands for what may not. Contexts are kept only if they are fit to be logged. */
export const logged = (outcome: ToolOutcome): ToolOutcome => {
  try {
    return freezeJson(outcome)
  } catch {
    const contexts = (outcome.additionalContexts ?? []).filter(isLossless)
    return freezeJson(withContexts(notJson(), contexts))
  }
}

export const withContexts = (outcome: ToolOutcome, contexts: readonly HookContext[]): ToolOutcome =>
  contexts.length === 0 ? outcome : { ...outcome, additionalContexts: [...(outcome.additionalContexts ?? []), ...contexts] }
