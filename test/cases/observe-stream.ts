// What a reader made of a body, in the words of the wire cases.
import type { ContentBlock, JsonSchema } from '../../src/storage/log/content.ts'
import type { Chunk, ModelFailure, ToolSchema, Usage } from '../../src/storage/log/model-call.ts'
import { readArguments } from '../../src/worker/llm/tool-arguments.ts'
import { NOTICES } from '../../src/worker/llm/wire/reply-writer.ts'

export type SeenCall = { readonly name: string; readonly id: string; readonly vendorId: string | undefined; readonly args: unknown }
export type RefusedCall = { readonly name: string; readonly id: string; readonly vendorId: string | undefined; readonly reason: string }
export type Observed = {
  /** All that is true of it: a filtered answer ended well and was cut. */
  readonly outcomes: readonly string[]
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly finishReasons: readonly string[]
  readonly rawFinishReason: string | undefined
  readonly finishInferred: boolean
  readonly calls: readonly SeenCall[]
  readonly refusedCalls: readonly RefusedCall[]
  readonly executeTools: boolean
  /** Of a stop before the first word both are true: the vendor said nothing, and what is shown says so. */
  readonly emptyTurn: readonly boolean[]
  readonly usage: Usage | undefined
  readonly failure: ModelFailure | undefined
  /** As the loop would assemble them. */
  readonly blocks: readonly ContentBlock[]
}

const REASONS: Readonly<Record<string, string>> = {
  stop: 'stop',
  'max-tokens': 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  refusal: 'refusal',
  error: 'error',
  aborted: 'error',
}

export const observe = (chunks: readonly Chunk[], tools: readonly ToolSchema[]): Observed => {
  const finish = chunks.find((chunk) => chunk.type === 'finish')
  const kind = finish?.reason.kind ?? 'none'
  const failure = finish?.reason.kind === 'error' ? finish.reason.failure : undefined
  const stopped = finish === undefined || failure?.code === 'stream-stopped'
  const blocks = chunks
    .filter((chunk) => chunk.type === 'block-end')
    .sort((left, right) => left.index - right.index)
    .map((chunk) => chunk.block)
  // A refusal is the last text of a reply that ended as one.
  const refusalIndex = kind === 'refusal' ? chunks.findLast((chunk) => chunk.type === 'text-delta')?.index : undefined
  // Ours, not the vendor's: shown in place of nothing.
  const notices = new Set(NOTICES.values())
  const isNotice = (chunk: Chunk) => chunk.type === 'text-delta' && notices.has(chunk.text)
  const joined = (type: 'text-delta' | 'reasoning-delta', wanted: (index: number) => boolean) =>
    chunks.map((chunk) => (chunk.type === type && wanted(chunk.index) && !isNotice(chunk) ? chunk.text : '')).join('')
  const text = joined('text-delta', (index) => index !== refusalIndex)
  const refusal = joined('text-delta', (index) => index === refusalIndex)
  const reasoning = joined('reasoning-delta', () => true)

  const calls: SeenCall[] = []
  const refusedCalls: RefusedCall[] = []
  for (const block of blocks) {
    if (block.type !== 'tool-call') continue
    const { id, vendorId, name } = block
    const reason = refusalOf(block.arguments, tools, name)
    if (reason !== undefined) refusedCalls.push({ name, id, vendorId, reason })
    else calls.push({ name, id, vendorId, args: argumentsOf(block.arguments, schemaOf(tools, name)) })
  }
  refusedCalls.push(...cutCalls(chunks))
  const isEmpty = [text, refusal, reasoning].every((words) => words.trim() === '') && calls.length === 0 && refusedCalls.length === 0
  const ended = !['error', 'max-tokens', 'aborted', 'none'].includes(kind)
  return {
    outcomes: stopped
      ? ['incomplete']
      : kind === 'error'
        ? ['error']
        : kind === 'max-tokens'
          ? ['incomplete']
          : kind === 'content-filter'
            ? ['ok', 'incomplete']
            : ['ok'],
    text,
    reasoning,
    refusal,
    // Of a body that just stops both is true: no reason came, and for the loop it is an error.
    finishReasons: stopped
      ? ['unknown', 'error']
      : kind === 'stop' && blocks.length === 0
        ? ['empty', 'stop']
        : [REASONS[kind] ?? 'unknown'],
    rawFinishReason: finish?.rawReason,
    finishInferred: finish?.inferred === true,
    calls,
    refusedCalls,
    executeTools: ended && calls.length > 0,
    emptyTurn: chunks.some(isNotice) ? [true, false] : [isEmpty],
    usage: chunks.findLast((chunk) => chunk.type === 'usage')?.usage,
    failure,
    blocks,
  }
}

const schemaOf = (tools: readonly ToolSchema[], name: string): JsonSchema | undefined =>
  tools.find((tool) => tool.name === name)?.parameters

const refusalOf = (raw: string, tools: readonly ToolSchema[], name: string): string | undefined => {
  const plain = readArguments(raw)
  // An integer of many digits is refused or text, as the schema says.
  const read = !plain.ok && plain.reason === 'schema' ? readArguments(raw, schemaOf(tools, name)) : plain
  if (!read.ok && read.reason === 'truncated') return 'truncated-arguments'
  if (!read.ok && read.reason === 'concatenated') return 'concatenated-arguments'
  if (!read.ok) return read.reason
  return tools.length > 0 && schemaOf(tools, name) === undefined ? 'unknown-tool' : undefined
}

const argumentsOf = (raw: string, schema: JsonSchema | undefined): unknown => {
  const fitted = readArguments(raw, schema)
  const read = fitted.ok ? fitted : readArguments(raw)
  return read.ok ? read.value : undefined
}

/** Calls that were begun and never became a block. */
const cutCalls = (chunks: readonly Chunk[]): readonly RefusedCall[] => {
  const whole = new Set(chunks.flatMap((chunk) => (chunk.type === 'block-end' ? [chunk.index] : [])))
  const cut = new Map<number, RefusedCall>()
  for (const chunk of chunks) {
    if (chunk.type !== 'tool-call-delta' || whole.has(chunk.index)) continue
    const held = cut.get(chunk.index)
    cut.set(chunk.index, { name: held?.name || chunk.name || '', id: chunk.id, vendorId: undefined, reason: 'truncated-arguments' })
  }
  return [...cut.values()]
}
