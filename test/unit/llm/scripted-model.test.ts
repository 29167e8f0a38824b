// The scripted model of the test kit (K1): what it streams, how it waits, how it fails.
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { LlmRequest } from '../../../src/worker/hooks/llm.ts'
import { gate } from '../../kit/gate.ts'
import {
  cutToolCall,
  disconnect,
  fails,
  finish,
  finishError,
  hang,
  hold,
  rawChunks,
  reasoning,
  reply,
  text,
  throws,
  toolCall,
  usage,
} from '../../kit/replies.ts'
import { type ScriptedModel, scriptedModel } from '../../kit/scripted-model.ts'

const request = (signal?: AbortSignal): LlmRequest => ({
  provider: 'scripted',
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  ...(signal === undefined ? {} : { signal }),
})
const collect = async (model: ScriptedModel, signal?: AbortSignal, into: Chunk[] = []): Promise<Chunk[]> => {
  for await (const chunk of model.stream(request(signal))) into.push(chunk)
  return into
}

describe('K1 the scripted model', () => {
  test('K1 streams a text by its chunking plan, then usage, then finish', async () => {
    const model = scriptedModel([text('ok', { chunks: ['o', 'k'] })])
    expect(await collect(model)).toEqual([
      { type: 'block-start', index: 0, blockType: 'text' },
      { type: 'text-delta', index: 0, text: 'o' },
      { type: 'text-delta', index: 0, text: 'k' },
      { type: 'block-end', index: 0, block: { type: 'text', text: 'ok' } },
      { type: 'usage', usage: { inputTokens: 10, outputTokens: 5 } },
      { type: 'finish', reason: { kind: 'stop' } },
    ])
    expect(model.requests).toHaveLength(1)
    model.assertPlayed()
  })

  test('K1 numbers the blocks of a reply and ends one with calls as tool-calls', async () => {
    const model = scriptedModel([reply(reasoning('hm'), text('Reading.'), toolCall('read', { path: 'a' }, 'c1'), toolCall('list'))])
    const chunks = await collect(model)
    expect(chunks.filter((chunk) => chunk.type === 'block-end').map((chunk) => [chunk.index, chunk.block])).toEqual([
      [0, { type: 'reasoning', text: 'hm' }],
      [1, { type: 'text', text: 'Reading.' }],
      [2, { type: 'tool-call', id: 'c1', name: 'read', arguments: '{"path":"a"}' }],
      [3, { type: 'tool-call', id: 'call-1-3', name: 'list', arguments: '{}' }],
    ])
    expect(chunks.at(-1)).toEqual({ type: 'finish', reason: { kind: 'tool-calls' } })
  })

  test('K1 ends a reply with a cut call as max-tokens, without the end of that call', async () => {
    const chunks = await collect(scriptedModel([[text('Saving.'), cutToolCall('write', '{"te', 'c1')]]))
    expect(chunks.filter((chunk) => chunk.type === 'block-end')).toHaveLength(1)
    expect(chunks.at(-1)).toEqual({ type: 'finish', reason: { kind: 'max-tokens' } })
  })

  test('K1 holds at a gate until the test opens it', async () => {
    const here = gate()
    const model = scriptedModel([text('ab', { chunks: ['a', here, 'b'] })])
    const seen: Chunk[] = []
    const all = collect(model, undefined, seen)
    await here.reached
    expect(seen.at(-1)).toEqual({ type: 'text-delta', index: 0, text: 'a' })
    expect(model.open).toBe(1)
    here.open()
    expect((await all).filter((chunk) => chunk.type === 'text-delta')).toHaveLength(2)
    expect(model.open).toBe(0)
  })

  test('K1 hangs until aborted, and then throws what the signal says', async () => {
    const controller = new AbortController()
    const here = gate()
    const model = scriptedModel([[text('partial'), hold(here)], hang()])
    const first = collect(model, controller.signal)
    await here.reached
    controller.abort(new Error('stopped by hand'))
    await expect(first).rejects.toThrow('stopped by hand')
    const again = new AbortController()
    const second = collect(model, again.signal)
    again.abort(new Error('stopped again'))
    await expect(second).rejects.toThrow('stopped again')
    expect(model.open).toBe(0)
  })

  test('K1 fails by throwing, by its finish and by a lost connection', async () => {
    const model = scriptedModel([
      fails('auth', 'wrong key', { status: 401 }),
      [text('half'), finishError('provider')],
      disconnect(),
      throws(7),
    ])
    await expect(collect(model)).rejects.toMatchObject({ message: 'wrong key', failure: { class: 'auth', status: 401, transient: false } })
    expect((await collect(model)).at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'error', failure: { class: 'provider' } } })
    await expect(collect(model)).rejects.toMatchObject({ failure: { class: 'transport', transient: true } })
    await expect(collect(model)).rejects.toBe(7)
  })

  test('K1 answers with a function of the request, a raw list of chunks and a usage of its own', async () => {
    const model = scriptedModel([
      (asked, index) => text(`${asked.model}${index}`),
      rawChunks({ type: 'text-delta', index: 3, text: 'bare' }),
      [text('x'), usage(1, 2, { cacheReadTokens: 3 }), finish('refusal')],
    ])
    expect((await collect(model))[1]).toEqual({ type: 'text-delta', index: 0, text: 'm0' })
    expect(await collect(model)).toEqual([{ type: 'text-delta', index: 3, text: 'bare' }])
    expect((await collect(model)).slice(-2)).toEqual([
      { type: 'usage', usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 } },
      { type: 'finish', reason: { kind: 'refusal' } },
    ])
  })

  test('K1 a request beyond the script fails loudly and says what was asked', async () => {
    const model = scriptedModel([text('only')])
    await collect(model)
    await expect(collect(model)).rejects.toThrow(/script is exhausted: request 2 came.*"hi"/)
    expect(() => model.assertPlayed()).toThrow('1 time(s) more')
    model.add(text('more'))
    expect(model.remaining).toBe(1)
  })
})
