// Bad input from a model adapter: each kind ends the turn with a clear error, and the session goes on.
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest } from '../../../src/worker/hooks/llm.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { text } from '../../kit/replies.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'
import { words, wrong } from './samples.ts'

const STOP: Chunk = { type: 'finish', reason: { kind: 'stop' } }

async function* streamOf(...chunks: readonly unknown[]): AsyncGenerator<Chunk> {
  for (const chunk of chunks) yield wrong(chunk)
}

const over = async (stream: (request: LlmRequest) => AsyncIterable<Chunk>) => {
  const made = testRuntime([text('ok')])
  const adapter: LlmAdapter = { stream }
  made.runtime.llm.registerAdapter(['faulty'], adapter)
  const agent = made.start({ provider: 'faulty' })
  agent.send('go')
  await agent.whenIdle()
  const reason = dataOf(agent.session.events, 'turn/end')[0]?.reason
  expect(problemsOf(agent.session.events)).toEqual([])
  agent.configure({ provider: 'test' })
  agent.send('again')
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'turn/end').at(-1)?.reason).toEqual({ kind: 'completed' })
  return { ...made, agent, reason }
}

describe('an adapter', () => {
  test('that throws before it streams', async () => {
    const { reason } = await over(() => {
      throw new Error('at once')
    })
    expect(reason).toEqual({ kind: 'error', step: 1, message: 'at once' })
  })

  test.each([
    ['nothing', undefined],
    ['a promise of a stream', Promise.resolve(streamOf(STOP))],
    ['a list', [STOP]],
    ['a text', 'ok'],
  ])('that gives %s and no stream', async (_, given) => {
    const { reason } = await over(() => wrong(given))
    expect(reason).toMatchObject({ kind: 'error', message: expect.stringMatching(/gave no stream|returned nothing/) })
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'hello'],
    ['a chunk of no known type', { type: 'text' }],
    ['a delta without text', { type: 'text-delta', index: 0 }],
    ['a delta without an index', { type: 'text-delta', text: 'x' }],
    ['a block-end without a block', { type: 'block-end', index: 0 }],
    ['a finish without a reason', { type: 'finish' }],
    ['a chunk that is not plain JSON', { type: 'usage', usage: { inputTokens: Number.NaN, outputTokens: 1 } }],
  ])('that yields %s instead of a chunk: what came before stays, the failure is one of protocol', async (_, chunk) => {
    const { agent, reason } = await over(() => streamOf({ type: 'text-delta', index: 0, text: 'half' }, chunk, STOP))
    expect(reason).toMatchObject({ kind: 'error', code: 'protocol', message: expect.stringContaining('no chunk of a reply') })
    expect(dataOf(agent.session.events, 'assistant/chunk')[0]?.chunk).toEqual({ type: 'text-delta', index: 0, text: 'half' })
    expect(dataOf(agent.session.events, 'assistant/message')).toHaveLength(1)
  })

  test('that gives iterators whose steps are none', async () => {
    const { reason } = await over(() => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(wrong(undefined)) }) }))
    expect(reason).toMatchObject({ kind: 'error' })
  })

  test('that yields behind its finish is read no further, and closed', async () => {
    let closed = false
    const { agent, reason } = await over(async function* () {
      try {
        yield { type: 'text-delta', index: 0, text: 'ok' }
        yield STOP
        yield { type: 'text-delta', index: 0, text: 'behind' }
      } finally {
        closed = true
      }
    })
    expect(reason).toEqual({ kind: 'completed' })
    expect(closed).toBe(true)
    expect(dataOf(agent.session.events, 'assistant/message')[0]?.content).toEqual(words('ok'))
  })

  test('whose stream throws while it is closed is contained', async () => {
    const { reason, reported } = await over(() => ({
      [Symbol.asyncIterator]: () => {
        const inner = streamOf(STOP)
        return { next: () => inner.next(), return: () => Promise.reject(new Error('closing')) }
      },
    }))
    expect(reason).toEqual({ kind: 'completed' })
    expect(reported).toEqual([])
  })

  test('that never ends and ignores its signal holds nobody: a cancel ends the turn', async () => {
    const begun = gate()
    const { runtime, start } = testRuntime([])
    let sent = 0
    runtime.llm.registerAdapter(['endless'], {
      async *stream() {
        for (;;) {
          if (++sent === 50) begun.arrive()
          yield { type: 'text-delta', index: 0, text: 'and ' }
          await new Promise((resolve) => void setImmediate(resolve))
        }
      },
    })
    const agent = start({ provider: 'endless' })
    agent.send('go')
    await begun.reached
    agent.cancel()
    await agent.whenIdle()
    const length = agent.session.events.length
    expect(dataOf(agent.session.events, 'assistant/message')[0]?.interrupted).toBe(true)
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason.kind).toBe('aborted')
    await new Promise((resolve) => void setImmediate(resolve))
    expect(agent.session.events).toHaveLength(length)
  })

  test('that sees its signal aborted at a cancel, and at no other time', async () => {
    const signals: AbortSignal[] = []
    const begun = gate()
    const { runtime, start } = testRuntime([])
    runtime.llm.registerAdapter(['one'], {
      async *stream({ signal }) {
        if (signal) signals.push(signal)
        if (signals.length === 2) {
          begun.arrive()
          await new Promise(() => {})
        }
        yield STOP
      },
    })
    const agent = start({ provider: 'one' })
    agent.send('go')
    await agent.whenIdle()
    agent.send('more')
    await begun.reached
    agent.cancel()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true])
    await agent.whenIdle()
  })

  test('that cannot stream, or whose provider is taken, is refused when it is registered', () => {
    const { runtime } = testRuntime([])
    expect(() => runtime.llm.registerAdapter(['x'], wrong({}))).toThrow('needs a function "stream"')
    expect(() => runtime.llm.registerAdapter(['y', 'test'], { stream: () => streamOf() })).toThrow('"test" has an adapter already')
    expect(runtime.llm.providers()).toEqual(['test'])
  })

  test('is forgotten by its disposer, which spares a successor', () => {
    const { runtime } = testRuntime([])
    const off = runtime.llm.registerAdapter(['x'], { stream: () => streamOf(), info: () => ({ contextWindow: 5 }) })
    expect(runtime.llm.info('x', 'm')).toEqual({ contextWindow: 5 })
    expect(runtime.llm.info('test', 'm')).toEqual({})
    void off()
    runtime.llm.registerAdapter(['x'], { stream: () => streamOf() })
    void off()
    expect(runtime.llm.providers()).toEqual(['test', 'x'])
  })
})

test('a listener of llm/stream may stand between: it sees every chunk and may change the stream', async () => {
  const { runtime, start } = testRuntime([text('ok')])
  runtime.on('llm/stream', async function* (_request, next) {
    for await (const chunk of next()) yield chunk.type === 'text-delta' ? { ...chunk, text: chunk.text.toUpperCase() } : chunk
  })
  const agent = start()
  agent.send('go')
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'assistant/chunk').map(({ chunk }) => chunk)).toContainEqual({
    type: 'text-delta',
    index: 0,
    text: 'OK',
  })
})
