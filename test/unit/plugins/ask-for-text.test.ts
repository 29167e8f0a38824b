// One plain request for text: what comes of whatever an adapter does.
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import { askForText } from '../../../src/worker/plugins/compaction/ask-for-text.ts'
import { gate } from '../../kit/gate.ts'
import { fails, finish, finishError, noUsage, type Part, rawChunks, reasoning, text, throws, toolCall, usage } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'

const request = { provider: 'p', model: 'm', system: 'S', prompt: 'P', sessionId: 's' }
const ask = (...parts: readonly Part[]) => askForText(scriptedModel([parts]).stream, request, new AbortController().signal)

describe('L80 the request for a summary', () => {
  test('gives the text, and nothing of reasoning or calls', async () => {
    expect(await ask(reasoning('hm'), text(' one '), toolCall('t'), text('two'), usage(7, 3))).toEqual({
      kind: 'text',
      text: 'one \ntwo',
      usage: { inputTokens: 7, outputTokens: 3 },
    })
    expect(await ask(text(''), noUsage())).toEqual({ kind: 'text', text: '', usage: undefined })
  })

  test('a text that the limit cut is better than none', async () => {
    expect(await ask(text('as far as it g'), finish('max-tokens'))).toMatchObject({ kind: 'text', text: 'as far as it g' })
  })

  test('a failure is told with its facts, however it comes', async () => {
    for (const part of [fails('overloaded', 'busy'), finishError('overloaded', 'busy')])
      expect(await ask(text('so'), part)).toMatchObject({
        kind: 'failed',
        message: 'busy',
        failure: { class: 'overloaded', transient: true },
      })
    expect(await ask(throws('words'))).toMatchObject({ kind: 'failed', message: 'words', failure: undefined })
    expect(await ask(finish('aborted'))).toMatchObject({ kind: 'failed' })
  })

  test('a stream that just stops is not finished', async () => {
    expect(await ask(rawChunks({ type: 'text-delta', index: 0, text: 'half' }))).toMatchObject({
      kind: 'failed',
      failure: { transient: true },
    })
  })

  test('an adapter that gives no stream is a failure, not a throw', async () => {
    const none = () => undefined as never
    expect(await askForText(none, request, new AbortController().signal)).toMatchObject({ kind: 'failed' })
  })

  test('a usage with more in it than numbers is made fit for the log', async () => {
    const odd = { inputTokens: 5, outputTokens: Number.NaN, cost: undefined, more: 'x' } as never
    expect(await ask(text('t'), rawChunks({ type: 'usage', usage: odd }, { type: 'finish', reason: { kind: 'stop' } }))).toMatchObject({
      usage: { inputTokens: 5, outputTokens: 0 },
    })
  })

  test('L20 an abort ends it at once, and closes the stream, also of an adapter that does not listen', async () => {
    const here = gate()
    let closed = false
    const deaf = (): AsyncIterable<Chunk> => ({
      [Symbol.asyncIterator]: () => ({
        next: () => {
          here.arrive()
          return new Promise<never>(() => {})
        },
        return: async () => {
          closed = true
          return { done: true, value: undefined }
        },
      }),
    })
    const stop = new AbortController()
    const asked = askForText(deaf, request, stop.signal)
    await here.reached
    stop.abort()
    expect(await asked).toMatchObject({ kind: 'failed' })
    expect(closed).toBe(true)
  })
})
