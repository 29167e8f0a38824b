// Derived messages → a history that a server accepts (W7): calls and results in pairs, nothing blank, ids unique. The log is not touched.
import type {
  AssistantMessage,
  ContentBlock,
  ImageBlock,
  Message,
  ReasoningBlock,
  TextBlock,
  ToolResultBlock,
} from '../../../storage/log/content.ts'
import { historyArguments } from './history-arguments.ts'
import { wellFormed } from './well-formed.ts'
import { type IdAlphabet, wireIds } from './wire-ids.ts'

export type UserPart = TextBlock | ImageBlock
export type HistoryCall = {
  readonly type: 'call'
  readonly id: string
  readonly name: string /** valid JSON, an object */
  readonly arguments: string
}
export type HistoryResult = { readonly id: string; readonly name: string; readonly parts: readonly UserPart[]; readonly isError: boolean }

export type HistoryTurn =
  | { readonly kind: 'user'; readonly parts: readonly UserPart[] }
  | {
      readonly kind: 'assistant'
      readonly blocks: readonly (TextBlock | ReasoningBlock | HistoryCall)[]
      readonly provenance: AssistantMessage['provenance']
      /** Of several replies with nothing between them; only the last one's reasoning is in it. */
      readonly merged?: true
    }
  /** Directly after its assistant turn, one for each call, in the order of the calls. */
  | { readonly kind: 'results'; readonly results: readonly HistoryResult[] }

/** What a server without a result for a call is told; the truth is that nobody knows. */
export const INTERRUPTED = 'Error: interrupted. There is no result of this call; it may or may not have run.'
const NO_OUTPUT = '(no output)'

type Slot = { readonly call: HistoryCall; result: ToolResultBlock | undefined }
type Item = { readonly turn: HistoryTurn; readonly slots: readonly Slot[] }

/**
 * Results move up to their call, also from behind later messages; a call without one gets an error that says `interrupted`; a
 * result without a call is left out. Neighbours of one role are merged. The last assistant text loses its trailing blanks.
 */
export const validHistory = (messages: readonly Message[], alphabet: IdAlphabet): readonly HistoryTurn[] => {
  const newId = wireIds(alphabet)
  const waiting = new Map<string, Slot[]>()
  const items: Item[] = []

  for (const message of messages) {
    if (message.role === 'assistant') {
      const slots: Slot[] = []
      const blocks = message.content.flatMap((block): AssistantTurn['blocks'] => {
        if (block.type !== 'tool-call') return assistantBlock(block)
        const call: HistoryCall = {
          type: 'call',
          id: newId(block.id),
          name: toolName(block.name),
          arguments: historyArguments(block.arguments),
        }
        const slot: Slot = { call, result: undefined }
        slots.push(slot)
        waiting.set(block.id, [...(waiting.get(block.id) ?? []), slot])
        return [call]
      })
      if (blocks.some((block) => block.type !== 'reasoning')) {
        items.push({ turn: { kind: 'assistant', blocks, provenance: message.provenance }, slots })
      }
      continue
    }
    for (const block of message.content) {
      if (block.type !== 'tool-result') continue
      const slot = waiting.get(block.toolCallId)?.shift()
      if (slot !== undefined) slot.result = block
    }
    const parts = userParts(message.content)
    if (parts.length > 0) items.push({ turn: { kind: 'user', parts }, slots: [] })
  }

  const turns: HistoryTurn[] = []
  for (const { turn, slots } of items) {
    const last = turns.at(-1)
    if (last?.kind === 'user' && turn.kind === 'user')
      turns[turns.length - 1] = { kind: 'user', parts: joinTexts([...last.parts, ...turn.parts], '\n\n') }
    else if (last?.kind === 'assistant' && turn.kind === 'assistant') turns[turns.length - 1] = mergeAssistants(last, turn)
    else turns.push(turn)
    if (slots.length > 0) turns.push({ kind: 'results', results: slots.map(resultOf) })
  }
  return withTrimmedEnd(turns)
}

const isBlank = (text: string): boolean => text.trim() === ''

const assistantBlock = (block: ContentBlock): readonly (TextBlock | ReasoningBlock)[] => {
  if (block.type === 'text') return isBlank(block.text) ? [] : [{ type: 'text', text: wellFormed(block.text) }]
  if (block.type === 'reasoning') return isBlank(block.text) && block.replay === undefined ? [] : [block]
  return []
}

const userParts = (content: readonly ContentBlock[]): readonly UserPart[] =>
  joinTexts(
    content.flatMap((block): readonly UserPart[] => {
      if (block.type === 'image') return [block]
      return block.type === 'text' && !isBlank(block.text) ? [{ type: 'text', text: wellFormed(block.text) }] : []
    }),
    '\n',
  )

/** Neighbouring texts become one: many servers take a plain string only. */
export const joinTexts = (parts: readonly UserPart[], by: string): readonly UserPart[] => {
  const joined: UserPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.type === 'text' && last?.type === 'text') joined[joined.length - 1] = { type: 'text', text: `${last.text}${by}${part.text}` }
    else joined.push(part)
  }
  return joined
}

type AssistantTurn = Extract<HistoryTurn, { kind: 'assistant' }>

/** Two replies with nothing between them, such as one that was stopped and its continuation. Reasoning stays with the later. */
const mergeAssistants = (first: AssistantTurn, second: AssistantTurn): AssistantTurn => ({
  kind: 'assistant',
  blocks: [...first.blocks.filter((block) => block.type !== 'reasoning'), ...second.blocks],
  provenance: second.provenance,
  merged: true,
})

const resultOf = ({ call, result }: Slot): HistoryResult => {
  if (result === undefined) return { id: call.id, name: call.name, parts: [{ type: 'text', text: INTERRUPTED }], isError: true }
  const parts = userParts(result.content)
  const marked = result.isError ? markError(parts) : parts
  return { id: call.id, name: call.name, parts: marked.length > 0 ? marked : [{ type: 'text', text: NO_OUTPUT }], isError: result.isError }
}

// For servers whose results have no error flag.
const markError = (parts: readonly UserPart[]): readonly UserPart[] => {
  const [first, ...rest] = parts
  if (first?.type !== 'text') return [{ type: 'text', text: 'Error' }, ...parts]
  return /^\s*error/i.test(first.text) ? parts : [{ type: 'text', text: `Error: ${first.text}` }, ...rest]
}

/** OpenAI refuses the whole request for a name that no tool can have, which a model may have made up. */
const toolName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown_tool'

const withTrimmedEnd = (turns: readonly HistoryTurn[]): readonly HistoryTurn[] => {
  const last = turns.at(-1)
  if (last?.kind !== 'assistant') return turns
  const end = last.blocks.findLastIndex((block) => block.type === 'text')
  const blocks = last.blocks.map((block, index) =>
    index === end && block.type === 'text' ? { ...block, text: block.text.trimEnd() } : block,
  )
  return [...turns.slice(0, -1), { ...last, blocks }]
}
