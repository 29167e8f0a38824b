// A model adapter that plays a list of replies and keeps every request. Runs in Node and in the browser; nothing in it sleeps.
import type { ContentBlock } from '../../src/storage/log/content.ts'
import type { Chunk, FinishReason } from '../../src/storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest, ModelInfo } from '../../src/worker/hooks/llm.ts'
import { abortReason, type Gate, orAbort } from './gate.ts'
import { fails, type Part, type Reply } from './replies.ts'

export type ScriptedModelOptions = {
  readonly info?: ModelInfo
  readonly models?: readonly { readonly id: string; readonly name?: string }[]
}

export type ScriptedModel = LlmAdapter & {
  /** As they came, by reference. */
  readonly requests: readonly LlmRequest[]
  /** Replies that nobody asked for yet. */
  readonly remaining: number
  /** Streams that were started and have not ended, thrown or been given up. */
  readonly open: number
  add(...replies: readonly Reply[]): void
  /** Throws when replies are left over, or when more was asked for than was scripted. */
  assertPlayed(): void
}

/**
 * `scriptedModel([text('ok')])`. Unless a reply says otherwise, it ends with a usage of 10 in and 5 out, and with a finish of
 * `tool-calls` if it has a whole call, of `max-tokens` if it has a cut one, else of `stop`. A request beyond the script throws.
 */
export const scriptedModel = (replies: readonly Reply[], options: ScriptedModelOptions = {}): ScriptedModel => {
  const script = [...replies]
  const requests: LlmRequest[] = []
  let next = 0
  let open = 0
  let beyond = 0

  async function* play(request: LlmRequest): AsyncGenerator<Chunk, void, undefined> {
    const number = requests.push(request)
    const scripted = script[next]
    if (scripted === undefined) {
      beyond += 1
      throw new Error(exhausted(number, script.length, request))
    }
    next += 1
    open += 1
    try {
      request.signal?.throwIfAborted()
      const made = typeof scripted === 'function' ? await scripted(request, number - 1) : scripted
      const parts = completed('part' in made ? [made] : made)
      let index = 0
      for (const part of parts) {
        const stream = playPart(part, index, `call-${number}-${index}`, request.signal)
        for await (const chunk of stream) {
          yield chunk
          if (request.signal?.aborted === true) throw abortReason(request.signal)
        }
        if (part.part === 'block' || part.part === 'tool-call') index += 1
      }
    } finally {
      open -= 1
    }
  }

  return {
    requests,
    get remaining() {
      return script.length - next
    },
    get open() {
      return open
    },
    stream: play,
    ...(options.info === undefined ? {} : { info: () => options.info }),
    ...(options.models === undefined ? {} : { models: async () => options.models ?? [] }),
    add(...more) {
      script.push(...more)
    },
    assertPlayed() {
      if (beyond > 0) throw new Error(`The model was asked ${beyond} time(s) more than its ${script.length} scripted replies.`)
      if (next < script.length) throw new Error(`${script.length - next} of ${script.length} scripted replies were never asked for.`)
    },
  }
}

const exhausted = (number: number, scripted: number, request: LlmRequest): string => {
  const last = request.messages.at(-1)
  const words = last === undefined ? 'no message' : JSON.stringify(last).slice(0, 300)
  return `The script is exhausted: request ${number} came, but only ${scripted} replies were scripted. Its last message: ${words}`
}

/** Adds usage and finish where a reply has none of its own and does not end in another way. */
const completed = (parts: readonly Part[]): readonly Part[] => {
  const has = (kind: Part['part']) => parts.some((part) => part.part === kind)
  if (has('finish') && !has('usage')) return withDefaultUsage(parts)
  if (has('finish') || has('chunks') || has('hang') || has('throw') || has('disconnect')) return parts
  const usagePart: readonly Part[] = has('usage') ? [] : [{ part: 'usage', usage: { inputTokens: 10, outputTokens: 5 } }]
  return [...parts, ...usagePart, { part: 'finish', reason: byDefault(parts) }]
}

const withDefaultUsage = (parts: readonly Part[]): readonly Part[] =>
  parts.flatMap((part): readonly Part[] =>
    part.part === 'finish' && part.reason.kind !== 'error' && part.reason.kind !== 'aborted'
      ? [{ part: 'usage', usage: { inputTokens: 10, outputTokens: 5 } }, part]
      : [part],
  )

const byDefault = (parts: readonly Part[]): FinishReason => {
  const calls = parts.filter((part) => part.part === 'tool-call')
  if (calls.some((part) => part.cut === 'cut')) return { kind: 'max-tokens' }
  return { kind: calls.length > 0 ? 'tool-calls' : 'stop' }
}

async function* playPart(part: Part, index: number, madeId: string, signal: AbortSignal | undefined): AsyncGenerator<Chunk> {
  switch (part.part) {
    case 'block': {
      const { block } = part
      yield { type: 'block-start', index, blockType: block.type }
      const type = block.type === 'text' ? 'text-delta' : 'reasoning-delta'
      for await (const piece of paced(part.pieces, signal)) yield { type, index, text: piece }
      yield { type: 'block-end', index, block }
      return
    }
    case 'tool-call': {
      const id = part.id ?? madeId
      const block: ContentBlock = { type: 'tool-call', id, name: part.name, arguments: part.arguments }
      yield { type: 'block-start', index, blockType: 'tool-call' }
      let first = true
      for await (const piece of paced(part.pieces, signal)) {
        yield { type: 'tool-call-delta', index, id, ...(first ? { name: part.name } : {}), argumentsDelta: piece }
        first = false
      }
      if (part.cut === 'whole') yield { type: 'block-end', index, block }
      return
    }
    case 'usage':
      if (part.usage !== undefined) yield { type: 'usage', usage: part.usage }
      return
    case 'finish':
      yield { type: 'finish', reason: part.reason, ...(part.rawReason === undefined ? {} : { rawReason: part.rawReason }) }
      return
    case 'chunks':
      yield* part.chunks
      return
    case 'hold':
      part.gate.arrive()
      await (part.onAbort === 'ignore' ? part.gate.opened : orAbort(part.gate.opened, signal))
      return
    case 'hang':
      await orAbort(new Promise<never>(() => {}), signal)
      return
    case 'throw':
      throw part.error
    case 'disconnect':
      yield* playPart(fails('transport', 'The connection to the scripted model was lost.'), index, madeId, signal)
      return
  }
}

async function* paced(pieces: readonly (string | Gate)[], signal: AbortSignal | undefined): AsyncGenerator<string> {
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      yield piece
    } else {
      piece.arrive()
      await orAbort(piece.opened, signal)
    }
  }
}
