// The built-in demo model: rules instead of a language model, no key, no network, but real tool calls and real streaming.
import type { Message } from '../../../storage/log/content.ts'
import { SideloopError } from '../../../storage/log/errors.ts'
import type { Chunk } from '../../../storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest } from '../../hooks/llm.ts'
import type { DemoReply } from './demo/script.ts'

export type DemoModelOptions = {
  /** Milliseconds between words. Default 12; 0 streams as fast as it can. */
  readonly delayMs?: number
}

export const DEMO_MODEL = { provider: 'demo', model: 'demo-rules', name: 'Demo (rules, not a language model)' } as const

const DEFAULT_DELAY_MS = 12
/** A long file is streamed in at most about this many pieces. */
const MOST_PIECES = 60
const SHORTEST_PIECE = 24

/** What it says depends on the messages and the tools of the request alone. It reports no usage: nothing was counted. */
export const demoModel = ({ delayMs = DEFAULT_DELAY_MS }: DemoModelOptions = {}): LlmAdapter => {
  const rules = loadInTheBackground(() => import('./demo/next-reply.ts'))
  return {
    async *stream(request) {
      const { nextReply } = await rules()
      for (const chunk of chunksOf(nextReply(request), freshCallIds(request.messages))) {
        if (!(await pause(chunk, delayMs, request.signal))) {
          yield { type: 'finish', reason: { kind: 'aborted' } }
          return
        }
        yield chunk
      }
    },
    info: () => ({ tools: true, images: false }),
    models: async () => [{ id: DEMO_MODEL.model, name: DEMO_MODEL.name }],
  }
}

/** Off the path of the worker's start, and there before the network can go away. A failed load is tried again when it is needed. */
const loadInTheBackground = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  const first = load().catch(() => undefined) // told by the second try, if there is one
  return async () => {
    try {
      return (await first) ?? (await load())
    } catch (cause) {
      const message = 'The rules of the demo model could not be loaded. Check the connection to this site and try again.'
      throw new SideloopError('model/failed', message, { cause })
    }
  }
}

/** False when the request was aborted meanwhile. */
const pause = async (chunk: Chunk, delayMs: number, signal: LlmRequest['signal']): Promise<boolean> => {
  if (signal?.aborted) return false
  if (delayMs <= 0 || (chunk.type !== 'text-delta' && chunk.type !== 'tool-call-delta')) return true
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, delayMs)
    signal?.addEventListener('abort', done, { once: true })
  })
  return signal?.aborted !== true
}

function* chunksOf({ text, calls }: DemoReply, ids: Iterator<string, never>): Generator<Chunk> {
  let index = 0
  if (text !== '') {
    yield { type: 'block-start', index, blockType: 'text' }
    for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text]) yield { type: 'text-delta', index, text: word }
    yield { type: 'block-end', index, block: { type: 'text', text } }
    index += 1
  }
  for (const { name, args } of calls) {
    const id = ids.next().value
    const json = JSON.stringify(args)
    yield { type: 'block-start', index, blockType: 'tool-call' }
    for (const [at, piece] of pieces(json).entries()) {
      yield { type: 'tool-call-delta', index, id, ...(at === 0 ? { name } : {}), argumentsDelta: piece }
    }
    yield { type: 'block-end', index, block: { type: 'tool-call', id, name, arguments: json } }
    index += 1
  }
  yield { type: 'finish', reason: { kind: calls.length > 0 ? 'tool-calls' : 'stop' } }
}

const pieces = (text: string): readonly string[] => {
  const length = Math.max(SHORTEST_PIECE, Math.ceil(text.length / MOST_PIECES))
  return Array.from({ length: Math.ceil(text.length / length) }, (_, part) => text.slice(part * length, (part + 1) * length))
}

/** Numbered on from the calls that the conversation has, so that an id is never used twice in it. */
function* freshCallIds(messages: readonly Message[]): Generator<string, never> {
  const used = new Set(messages.flatMap(({ content }) => content.map((block) => (block.type === 'tool-call' ? block.id : ''))))
  for (let number = 1; ; number += 1) {
    const id = `demo-call-${number}`
    if (!used.has(id)) yield id
  }
}
