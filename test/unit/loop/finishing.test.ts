// L30 to L33: how a reply ends, and what it leaves.
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import { problemsOf } from '../../kit/check-log.ts'
import {
  cutToolCall,
  fails,
  finish,
  finishError,
  finishWith,
  noUsage,
  type Part,
  rawChunks,
  rawToolCall,
  reasoning,
  reply,
  text,
  throws,
  toolCall,
} from '../../kit/replies.ts'
import { dataOf, testRuntime, typesOf } from '../../kit/test-runtime.ts'
import { echo, words } from './samples.ts'

const run = async (replies: Parameters<typeof testRuntime>[0], prepare: (made: ReturnType<typeof testRuntime>) => void = () => {}) => {
  const made = testRuntime(replies)
  made.runtime.tools.register(echo)
  prepare(made)
  const agent = made.start()
  agent.send('go')
  await agent.whenIdle()
  expect(problemsOf(agent.session.events)).toEqual([])
  return { ...made, agent }
}
const reasons = (agent: Agent) => dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason)
const messages = (agent: Agent) => dataOf(agent.session.events, 'assistant/message')

describe('L30 a reply that the limit cuts', () => {
  test('golden 12 drops its calls, whole or cut, keeps its text, and dispatches none', async () => {
    const { agent, model } = await run([reply(text('I will'), toolCall('echo', { text: 'whole' }), cutToolCall('echo', '{"te'))])
    expect(messages(agent)[0]?.content).toEqual(words('I will'))
    expect(dataOf(agent.session.events, 'tool/call')).toEqual([])
    expect(typesOf(agent.session.events).slice(-3)).toEqual(['assistant/message', 'step/end', 'turn/end'])
    expect(reasons(agent)).toEqual([{ kind: 'max-tokens' }])
    expect(model.requests).toHaveLength(1)
  })

  test('writes a message also when nothing is left of it', async () => {
    const { agent } = await run([cutToolCall('echo', '{"te')])
    expect(messages(agent)).toMatchObject([{ content: [] }])
    expect(reasons(agent)).toEqual([{ kind: 'max-tokens' }])
  })

  test('shows agent/step-result no calls, and drops those that a listener adds', async () => {
    const seen: unknown[] = []
    const { agent } = await run([reply(text('I will'), cutToolCall('echo', '{'))], ({ runtime }) =>
      runtime.on('agent/step-result', async (_agent, _turn, _step, message) => {
        seen.push(message.content)
        return { ...message, content: [...message.content, { type: 'tool-call', id: 'x', name: 'echo', arguments: '{"text":"x"}' }] }
      }),
    )
    expect(seen).toEqual([words('I will')])
    expect(messages(agent)[0]?.content).toEqual(words('I will'))
    expect(dataOf(agent.session.events, 'tool/call')).toEqual([])
  })

  test('marks its turn although a later step completes, and never the next turn', async () => {
    let asked = 0
    const { agent, model } = await run([reply(text('cut'), finish('max-tokens')), text('whole')], ({ runtime }) =>
      runtime.on('agent/turn-continuation', async (_a, _t, _d, next) => (asked++ === 0 ? { action: 'continue' } : next())),
    )
    model.add(text('next'))
    agent.send('more')
    await agent.whenIdle()
    expect(reasons(agent)).toEqual([{ kind: 'max-tokens' }, { kind: 'completed' }])
  })
})

describe('L31 a call that succeeds writes exactly one assistant/message', () => {
  test('with empty content and no usage: turn, step, content and provenance, and nothing else', async () => {
    const { agent } = await run([reply(noUsage(), finish('stop'))])
    expect(messages(agent)).toStrictEqual([{ turn: 1, step: 1, content: [], provenance: { provider: 'test', model: 'scripted' } }])
    expect(reasons(agent)).toEqual([{ kind: 'completed' }])
  })

  test('that cites exactly its chunks, usage and finish included', async () => {
    const { agent } = await run([text('ok', { chunks: ['o', 'k'] })])
    const { events } = agent.session
    const chunks = events.filter(({ type }) => type === 'assistant/chunk').map(({ seq }) => seq)
    expect(events.find(({ type }) => type === 'assistant/message')).toMatchObject({ sourceEventSeqs: chunks })
    expect(messages(agent)[0]?.usage).toEqual({ inputTokens: 10, outputTokens: 5 })
  })

  test.each([
    finish('stop'),
    finish('content-filter'),
    finish('refusal'),
    finishWith({ kind: 'x-new' }),
    finishWith({ kind: 'invalid-tool', name: 'nope' }),
  ])('with the finish %j, which is a success', async (part) => {
    const { agent } = await run([reply(text('ok'), part)])
    expect(messages(agent)).toHaveLength(1)
    expect(reasons(agent)).toEqual([{ kind: 'completed' }])
  })

  test('whose provenance has replay state only if there is some, and none once a listener changed the content', async () => {
    const chunk: Chunk = { type: 'finish', reason: { kind: 'stop' }, replayState: { id: 'r1' } }
    const withState = (): Part => rawChunks({ type: 'text-delta', index: 0, text: 'ok' }, chunk)
    let change = false
    const { agent, model } = await run([withState()], ({ runtime }) =>
      runtime.on('agent/step-result', async (_agent, _turn, _step, message, next) =>
        change ? { ...message, content: words('changed') } : next(),
      ),
    )
    change = true
    model.add(withState())
    agent.send('more')
    await agent.whenIdle()
    expect(messages(agent).map(({ provenance }) => provenance)).toStrictEqual([
      { provider: 'test', model: 'scripted', replayState: { id: 'r1' } },
      { provider: 'test', model: 'scripted' },
    ])
  })

  test('that a listener of agent/step-result may change, before its calls run', async () => {
    const { agent } = await run([toolCall('echo', { text: 'x' }, 'c1'), text('done')], ({ runtime }) =>
      runtime.on('agent/step-result', async (_agent, _turn, step, message, next) =>
        step > 1 ? next() : { ...message, content: [{ type: 'tool-call', id: 'c1', name: 'echo', arguments: '{"text":"y"}' }] },
      ),
    )
    expect(dataOf(agent.session.events, 'tool/result')[0]?.content).toEqual(words('y'))
  })

  test.each([
    ['throws', () => Promise.reject(new Error('no'))],
    ['returns nothing', async () => undefined],
    ['returns a message without content', async () => ({ role: 'assistant' })],
    ['returns blocks that are none', async () => ({ role: 'assistant', content: [{ type: 'tool-call', id: 1 }] })],
  ])('as an empty anchor when agent/step-result %s; then the turn errors', async (_, listener) => {
    const { agent } = await run([reply(text('ok'), toolCall('echo', { text: 'x' }))], ({ runtime }) =>
      runtime.on('agent/step-result', listener as never),
    )
    expect(messages(agent)).toStrictEqual([
      {
        turn: 1,
        step: 1,
        content: [],
        provenance: { provider: 'test', model: 'scripted' },
        usage: { inputTokens: 10, outputTokens: 5 },
      },
    ])
    expect(dataOf(agent.session.events, 'tool/call')).toEqual([])
    expect(reasons(agent)).toMatchObject([{ kind: 'error', step: 1 }])
  })
})

describe('L32 a call that fails writes no assistant/message', () => {
  test.each([
    ['a thrown stream', throws(new Error('the model is down')), { message: 'the model is down' }],
    ['a thrown text', throws('down'), { message: 'down' }],
    ['something thrown that has no words', throws(Object.create(null)), { message: 'Something was thrown that has no words' }],
    ['a typed failure', fails('rate_limit', 'slow down'), { message: 'slow down', code: 'rate_limit' }],
    ['a finish of kind error', finishError('overloaded', 'too many'), { message: 'too many', code: 'overloaded' }],
    ['a finish of kind error with a code only', finishWith({ kind: 'error', message: 'no', code: 'E1' }), { message: 'no', code: 'E1' }],
    ['a finish of kind aborted', finish('aborted'), { message: 'The model call was aborted by its adapter' }],
    ['a stream that just stops', rawChunks({ type: 'text-delta', index: 0, text: 'half' }), { code: 'protocol' }],
  ])('%s: its chunks stay, the boundaries are closed, the turn says what happened', async (_, part, reason) => {
    const { agent } = await run([reply(text('half'), reasoning('thought'), part)])
    expect(messages(agent)).toEqual([])
    expect(dataOf(agent.session.events, 'assistant/chunk').length).toBeGreaterThanOrEqual(0)
    expect(typesOf(agent.session.events).slice(-2)).toEqual(['step/end', 'turn/end'])
    expect(reasons(agent)).toMatchObject([{ kind: 'error', step: 1, ...reason }])
  })

  test('its chunks stay in the log, cited by nobody', async () => {
    const { agent } = await run([reply(text('half'), throws(new Error('down')))])
    expect(dataOf(agent.session.events, 'assistant/chunk').map(({ chunk }) => chunk.type)).toEqual([
      'block-start',
      'text-delta',
      'block-end',
    ])
    expect(agent.session.events.flatMap((event) => ('sourceEventSeqs' in event ? event.sourceEventSeqs : []))).toEqual([])
  })

  test('without a code the reason has no such key', async () => {
    const { agent } = await run([throws(new Error('down'))])
    expect(reasons(agent)).toStrictEqual([{ kind: 'error', step: 1, message: 'down' }])
  })
})

describe('L33 the arguments of a call', () => {
  const results = async (args: string) => {
    const { agent } = await run([rawToolCall('echo', args, 'c1'), text('done')], ({ runtime }) =>
      runtime.tools.register({ name: 'none', description: 'd', parameters: {}, execute: () => 'ran' }),
    )
    return { call: dataOf(agent.session.events, 'tool/call')[0], result: dataOf(agent.session.events, 'tool/result')[0], agent }
  }

  test('stay raw text in the log', async () => {
    expect((await results(' {"text" : "x"} ')).call?.arguments).toBe(' {"text" : "x"} ')
  })

  test('that are empty are {}', async () => {
    const { agent } = await run([rawToolCall('none', '', 'c1'), text('done')], ({ runtime }) =>
      runtime.tools.register({ name: 'none', description: 'd', parameters: {}, execute: (args: object) => JSON.stringify(args) }),
    )
    expect(dataOf(agent.session.events, 'tool/result')[0]?.content).toEqual(words('{}'))
  })

  test('that cannot be read in exactly one way are a result that the model can act on, and the turn goes on', async () => {
    const { result, agent } = await results('{"text": "a", "text": ')
    expect(result).toMatchObject({ isError: true, error: { code: 'INVALID_ARGS' } })
    expect(reasons(agent)).toEqual([{ kind: 'completed' }])
  })

  test('of a call whose id was used before in the session get an id of their own, and keep the vendor’s', async () => {
    const { agent } = await run([
      reply(toolCall('echo', { text: 'a' }, 'call_0'), toolCall('echo', { text: 'b' }, 'call_0')),
      toolCall('echo', { text: 'c' }, 'call_0'),
      text('done'),
    ])
    const blocks = messages(agent).flatMap(({ content }) => content.filter((block) => block.type === 'tool-call'))
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(3)
    expect(blocks.map(({ vendorId }) => vendorId)).toEqual([undefined, 'call_0', 'call_0'])
    expect(dataOf(agent.session.events, 'tool/result').map(({ content }) => content)).toEqual([words('a'), words('b'), words('c')])
  })

  test('of a call without an id get one', async () => {
    const { agent } = await run([toolCall('echo', { text: 'a' }, ''), text('done')])
    const block = messages(agent)[0]?.content[0]
    expect(block).toMatchObject({ type: 'tool-call', id: expect.stringMatching(/^id-/) })
    expect(block).not.toHaveProperty('vendorId')
  })
})

describe('contract 1: assembling is tolerant', () => {
  const content = async (...chunks: readonly Chunk[]) => {
    const { agent } = await run([rawChunks(...chunks, { type: 'finish', reason: { kind: 'stop' } })])
    return messages(agent)[0]?.content
  }

  test('of a missing block-start', async () => {
    expect(await content({ type: 'text-delta', index: 0, text: 'a' }, { type: 'text-delta', index: 0, text: 'b' })).toEqual(words('ab'))
  })

  test('of deltas behind a block-end, which are ignored, and of a second block-end: the first wins', async () => {
    expect(
      await content(
        { type: 'text-delta', index: 0, text: 'a' },
        { type: 'block-end', index: 0, block: { type: 'text', text: 'final' } },
        { type: 'text-delta', index: 0, text: 'b' },
        { type: 'block-end', index: 0, block: { type: 'text', text: 'second' } },
      ),
    ).toEqual(words('final'))
  })

  test('of a block-end whose block is none: the deltas stand', async () => {
    expect(
      await content({ type: 'text-delta', index: 0, text: 'a' }, { type: 'block-end', index: 0, block: { type: 'text' } as never }),
    ).toEqual(words('a'))
  })

  test('of blocks that are mixed: they stand in the order first seen, empty ones vanish', async () => {
    expect(
      await content(
        { type: 'block-start', index: 2, blockType: 'text' },
        { type: 'reasoning-delta', index: 0, text: 'r' },
        { type: 'block-start', index: 1, blockType: 'text' },
        { type: 'text-delta', index: 2, text: 't' },
        { type: 'reasoning-delta', index: 0, text: 's' },
      ),
    ).toEqual([
      { type: 'text', text: 't' },
      { type: 'reasoning', text: 'rs' },
    ])
  })

  test('nothing is read behind the finish', async () => {
    const { agent } = await run([
      rawChunks(
        { type: 'text-delta', index: 0, text: 'a' },
        { type: 'finish', reason: { kind: 'stop' }, rawReason: 'end', inferred: true },
        { type: 'text-delta', index: 0, text: 'behind' },
      ),
    ])
    expect(messages(agent)).toStrictEqual([{ turn: 1, step: 1, content: words('a'), provenance: { provider: 'test', model: 'scripted' } }])
    expect(dataOf(agent.session.events, 'assistant/chunk').at(-1)?.chunk).toMatchObject({ rawReason: 'end', inferred: true })
  })
})
