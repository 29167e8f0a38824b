// The stream parts of an AI SDK model → chunks. One reader for the versions of its specification: they differ in usage and finish only.
import type { Chunk, Usage } from '../../../../storage/log/model-call.ts'
import { classifyFailure } from '../../failures.ts'
import { type Fields, fieldsOf, isFields, textOf } from '../../wire/fields.ts'
import type { ReaderContext } from '../../wire/reply-reader.ts'
import { type EndKind, replyWriter } from '../../wire/reply-writer.ts'
import { stoppedStream } from '../../wire/stream-failures.ts'
import { count } from '../../wire/token-counts.ts'
import { failureOfThrown } from './failure-of-thrown.ts'
import { metadata } from './metadata.ts'

export interface PartReader {
  push(part: unknown): void
  /** The stream is over. */
  end(): void
  readonly finished: boolean
}

/** Their `unknown` and `other` count as success, as our own unknown words do. */
const WORDS: Readonly<Record<string, EndKind | 'error'>> = {
  stop: 'stop',
  length: 'max-tokens',
  'content-filter': 'content-filter',
  'tool-calls': 'tool-calls',
  error: 'error',
}

export const aiSdkReader = (context: ReaderContext, emit: (chunk: Chunk) => void): PartReader => {
  let usage: Usage | undefined
  let open = ''
  /** By call: the arguments that came in pieces, `undefined` where they came in another encoding than JSON. */
  const inputs = new Map<string, string | undefined>()
  const ran = new Set<string>()
  const reply = replyWriter(context, emit, { usage: () => usage })
  const { blocks } = reply

  /** Blocks are told apart by id: two texts in a row stay two. */
  const enter = (kind: 'text' | 'reasoning', { id }: Fields) => {
    const name = `${kind} ${textOf(id)}`
    if (open !== name) blocks.close()
    open = name
  }
  const sign = (part: Fields) => {
    if (!isFields(part.providerMetadata)) return
    blocks.close()
    blocks.replay(() => metadata('next', part.providerMetadata))
    blocks.close()
  }

  const takeCall = (part: Fields) => {
    const id = textOf(part.toolCallId)
    if (part.providerExecuted === true || ran.has(id)) return
    const input = typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {})
    const held = inputs.get(id)
    ran.add(id)
    if (held === undefined) {
      sign(part)
      return reply.call({ id, name: textOf(part.toolName), arguments: input, whole: true })
    }
    if (input.startsWith(held) && input !== held) reply.call({ id, arguments: input.slice(held.length) })
  }

  const finish = ({ finishReason, usage: counted }: Fields) => {
    usage = readUsage(fieldsOf(counted))
    const unified = typeof finishReason === 'string' ? finishReason : textOf(fieldsOf(finishReason).unified)
    const raw = textOf(fieldsOf(finishReason).raw) || unified
    if (unified === 'interrupted') return reply.fail(stoppedStream(blocks.count, ''), raw)
    const kind = Object.hasOwn(WORDS, unified) ? WORDS[unified]! : (`x-${unified}` as const)
    if (kind !== 'error') return reply.end(kind, raw)
    reply.fail(classifyFailure({ body: { message: `The reply ended with "${raw}".`, type: raw } }), raw)
  }

  const take = (part: Fields) => {
    switch (part.type) {
      case 'text-start':
        enter('text', part)
        return sign(part)
      case 'text-delta':
        enter('text', part)
        return reply.text(textOf(part.delta))
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end': {
        enter('reasoning', part)
        if (textOf(part.delta) !== '') blocks.reasoning(textOf(part.delta))
        // The latest that was said of a block holds: signatures come with its end.
        if (isFields(part.providerMetadata)) blocks.replay(() => metadata('own', part.providerMetadata))
        return
      }
      case 'tool-input-start': {
        if (part.providerExecuted === true) return
        const inPieces = part.inputEncoding !== 'text' && !isFields(part.providerMetadata)
        inputs.set(textOf(part.id), inPieces ? '' : undefined)
        if (inPieces) reply.call({ id: textOf(part.id), name: textOf(part.toolName) })
        return
      }
      case 'tool-input-delta': {
        const held = inputs.get(textOf(part.id))
        if (held === undefined) return
        inputs.set(textOf(part.id), held + textOf(part.delta))
        return reply.call({ id: textOf(part.id), arguments: textOf(part.delta) })
      }
      case 'tool-call':
        return takeCall(part)
      case 'error':
        return reply.fail(failureOfThrown(part.error))
      case 'finish':
        return finish(part)
    }
  }

  return {
    push(part) {
      if (!reply.finished && isFields(part)) take(part)
    },
    end() {
      if (!reply.finished) reply.fail(stoppedStream(blocks.count, ''))
    },
    get finished() {
      return reply.finished
    },
  }
}

/** Flat with everything in `inputTokens` in version 2; in groups, with what was not cached beside, from version 3 on. */
const readUsage = (fields: Fields): Usage | undefined => {
  const { inputTokens: input, outputTokens: output } = fields
  const all = isFields(input) ? count(input, 'total') : count(fields, 'inputTokens')
  const written = isFields(output) ? count(output, 'total') : count(fields, 'outputTokens')
  if (all === undefined && written === undefined) return undefined
  const cacheRead = isFields(input) ? count(input, 'cacheRead') : count(fields, 'cachedInputTokens')
  const cacheWrite = count(input, 'cacheWrite')
  const reasoning = isFields(output) ? count(output, 'reasoning') : count(fields, 'reasoningTokens')
  return {
    inputTokens: count(input, 'noCache') ?? Math.max(0, (all ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    outputTokens: written ?? 0,
    ...(cacheRead === undefined ? {} : { cacheReadTokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  }
}
