// Writes OpenAI-chat streams in a line or two, reads them, and takes from the chunks what a test looks at.
import type { Json } from '../../../src/storage/log/content.ts'
import type { Chunk, ToolSchema } from '../../../src/storage/log/model-call.ts'
import { openaiChatReader } from '../../../src/worker/llm/wire/openai-chat/read-reply.ts'
import type { ReaderContext } from '../../../src/worker/llm/wire/reply-reader.ts'

export const tool = (name: string): ToolSchema => ({ name, description: '', parameters: { type: 'object' } })
export const TOOLS = ['read', 'read_file', 'write_file'].map(tool)

export const readBytes = (pieces: readonly Uint8Array[], context: Partial<ReaderContext> = {}): Chunk[] => {
  const chunks: Chunk[] = []
  let made = 0
  const reader = openaiChatReader({ tools: TOOLS, newId: () => `made-${++made}`, ...context }, (chunk) => chunks.push(chunk))
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return chunks
}
export const readText = (text: string, context?: Partial<ReaderContext>) => readBytes([new TextEncoder().encode(text)], context)

export type Event = Json | string
export const body = (events: readonly Event[], end = 'data: [DONE]\n\n') =>
  `${events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')}${end}`
export const read = (events: readonly Event[], context?: Partial<ReaderContext>, end?: string) => readText(body(events, end), context)

export const delta = (value: Json, reason: string | null = null): Json => ({ choices: [{ index: 0, delta: value, finish_reason: reason }] })
export const calls = (...pieces: Json[]): Json => delta({ tool_calls: pieces })
export const done = (reason = 'stop'): Json => delta({}, reason)
export const call = (fields: { id?: string; index?: number; name?: string; arguments?: Json }): Json => {
  const { id, index, ...called } = fields
  return { ...(id === undefined ? {} : { id }), ...(index === undefined ? {} : { index }), function: called }
}

export const blocks = (chunks: readonly Chunk[]) => chunks.flatMap((chunk) => (chunk.type === 'block-end' ? [chunk.block] : []))
export const toolCalls = (chunks: readonly Chunk[]) =>
  blocks(chunks).flatMap((block) => (block.type === 'tool-call' ? [[block.id, block.name, block.arguments]] : []))
export const textOf = (chunks: readonly Chunk[]) => chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.text : '')).join('')
export const reasoningOf = (chunks: readonly Chunk[]) =>
  chunks.map((chunk) => (chunk.type === 'reasoning-delta' ? chunk.text : '')).join('')
export const finishOf = (chunks: readonly Chunk[]) => chunks.find((chunk) => chunk.type === 'finish')
export const usageOf = (chunks: readonly Chunk[]) => chunks.find((chunk) => chunk.type === 'usage')?.usage
