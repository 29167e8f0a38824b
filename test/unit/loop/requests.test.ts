// L6 to L9: what is sent is what was logged, and the header says with what.
import { describe, expect, test } from 'vitest'
import type { LlmRequest } from '../../../src/worker/hooks/llm.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { fails, reasoning, reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'
import { isDeepFrozen } from '../log/new-log.ts'
import { echo, words } from './samples.ts'

const plugin = { kind: 'plugin', plugin: 'p' } as const
const jsonOf = (requests: readonly LlmRequest[]): readonly string[] => requests.map((request) => JSON.stringify(request))

describe('L6 a request', () => {
  test('equals the logged header and the messages derived at the boundary, byte for byte', async () => {
    const { runtime, model, start } = testRuntime([reply(reasoning('hm'), toolCall('echo', { text: 'x' })), text('done')], {
      identity: 'You are.',
    })
    runtime.tools.register(echo)
    runtime.on('agent/session-prefix', async () => [{ role: 'user', content: words('prefix') }])
    const agent = start({ temperature: 0.5 })
    agent.send('go')
    await agent.whenIdle()
    expect(jsonOf(model.requests)).toEqual(rebuildRequests(agent.session.events).map(({ json }) => json))
    expect(model.requests[1]).toEqual({
      provider: 'test',
      model: 'scripted',
      temperature: 0.5,
      system: 'You are.',
      tools: runtime.tools.schemas(),
      messages: [{ role: 'user', content: words('prefix') }, ...agent.session.deriveMessages().slice(0, 3)],
    })
  })

  test('keeps the order of keys of the header that is in the log, also when a listener gives another', async () => {
    const { runtime, model, start } = testRuntime([text('a'), text('b')])
    let turns = 0
    runtime.on('agent/request', async () =>
      turns++ === 0 ? { provider: 'test', model: 'scripted', maxTokens: 9 } : { maxTokens: 9, model: 'scripted', provider: 'test' },
    )
    const agent = start()
    agent.send('one')
    await agent.whenIdle()
    agent.send('two')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'request/header')).toHaveLength(1)
    expect(jsonOf(model.requests)).toEqual(rebuildRequests(agent.session.events).map(({ json }) => json))
  })

  test('does not hold what is appended behind the boundary; the next one does', async () => {
    const { runtime, model, start } = testRuntime([toolCall('echo', { text: 'x' }), text('done')])
    runtime.tools.register(echo)
    let asked = 0
    runtime.on('agent/request', (agent, _turn, _step, _config, next) => {
      if (asked++ === 0) agent.inject('too late', { source: plugin, envelope: 'raw' })
      return next()
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    const told = model.requests.map(({ messages }) => JSON.stringify(messages).includes('too late'))
    expect(told).toEqual([false, true])
    expect(jsonOf(model.requests)).toEqual(rebuildRequests(agent.session.events).map(({ json }) => json))
  })

  test('holds what agent/pre-step appends or injects', async () => {
    const { runtime, model, start } = testRuntime([text('ok')])
    runtime.on('agent/pre-step', (agent) => {
      agent.inject('injected', { source: plugin, envelope: 'raw' })
      agent.session.append('context/message', { content: words('appended'), source: plugin, envelope: 'raw' }, { surfaceOp: 'append' })
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests[0]?.messages.map(({ content }) => content)).toEqual([words('go'), words('injected'), words('appended')])
  })

  test('L15 L43 of a retry is derived again: it holds what was injected meanwhile, and the log tells so', async () => {
    const { runtime, model, start } = testRuntime([reply(text('half'), fails('overloaded')), text('ok')])
    runtime.on('agent/request-error', async (agent) => {
      agent.inject('try again', { source: plugin, envelope: 'raw' })
      return { kind: 'retry' }
    })
    runtime.on('agent/request', (agent, _turn, _step, _config, next) => {
      if (model.requests.length === 1) agent.inject('behind the second boundary', { source: plugin, envelope: 'raw' })
      return next()
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
      [words('go')],
      [words('go'), words('try again')],
    ])
    expect(jsonOf(model.requests)).toEqual(rebuildRequests(agent.session.events).map(({ json }) => json))
    expect(JSON.stringify(agent.session.deriveMessages())).toContain('behind the second boundary')
  })

  test('held by reference never changes, whatever comes later', async () => {
    const { runtime, model, start } = testRuntime([toolCall('echo', { text: 'x' }), text('one'), text('two')])
    runtime.tools.register(echo)
    const agent = start()
    agent.send('go')
    const then: string[] = []
    runtime.on('agent/step-result', (_agent, _turn, _step, _message, next) => {
      then.push(...jsonOf(model.requests.slice(-1)))
      return next()
    })
    await agent.whenIdle()
    agent.send('more')
    agent.inject('and more')
    await agent.whenIdle()
    expect(jsonOf(model.requests)).toEqual(then)
  })

  test('is frozen all the way down', async () => {
    const { runtime, model, start } = testRuntime([text('ok')])
    runtime.tools.register(echo)
    runtime.on('agent/session-prefix', async () => [{ role: 'user', content: [{ type: 'text', text: 'prefix' }] }])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(isDeepFrozen(model.requests[0])).toBe(true)
  })

  test('carries its signal and its session outside of its JSON', async () => {
    const { model, start } = testRuntime([text('ok')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    const request = model.requests[0]
    expect(request?.signal).toBeInstanceOf(AbortSignal)
    expect(request?.sessionId).toBe(agent.session.id)
    expect(Object.keys(request ?? {})).toEqual(['provider', 'model', 'messages'])
  })
})

describe('L7 optional keys are absent, never empty', () => {
  test('no system text and no tools: neither key, in header and request', async () => {
    const { model, start } = testRuntime([text('ok')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'request/header')).toStrictEqual([
      { header: { config: { provider: 'test', model: 'scripted' } }, reason: 'initial' },
    ])
    expect(model.requests[0]).toStrictEqual({ provider: 'test', model: 'scripted', messages: [{ role: 'user', content: words('go') }] })
  })

  test('sections that are all empty are no system text', async () => {
    const { runtime, model, start } = testRuntime([text('ok')])
    runtime.systemPrompt.section({ name: 'empty', order: 1, text: '  \n ' })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect('system' in (model.requests[0] ?? {})).toBe(false)
  })

  test('an option that is undefined is as if it were absent', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    runtime.on('agent/request', async (_agent, _turn, _step, config) => ({ ...config, ...{ temperature: undefined } }) as never)
    const agent = start({ maxTokens: undefined } as never)
    expect(agent.options).toStrictEqual({ provider: 'test', model: 'scripted' })
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'request/header')[0]?.header).toStrictEqual({ config: { provider: 'test', model: 'scripted' } })
  })
})

describe('L8 the configuration', () => {
  test('that listeners get is really frozen', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    const thrown: unknown[] = []
    runtime.on('agent/request', (_agent, _turn, _step, config, next) => {
      try {
        Object.assign(config, { model: 'other' })
      } catch (error) {
        thrown.push(error)
      }
      return next()
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(thrown).toEqual([expect.any(TypeError)])
  })

  test('is replaced by what a listener returns, and the header records what was really used', async () => {
    const { runtime, model, start } = testRuntime([text('ok')])
    runtime.on('agent/request', async (_agent, _turn, _step, _config, next) => ({ ...(await next()), model: 'better', temperature: 0 }))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests[0]).toMatchObject({ model: 'better', temperature: 0 })
    expect(dataOf(agent.session.events, 'request/header')[0]?.header.config).toEqual({ provider: 'test', model: 'better', temperature: 0 })
    expect(dataOf(agent.session.events, 'assistant/message')[0]?.provenance).toEqual({ provider: 'test', model: 'better' })
  })

  test('has an initial header for a log, a change when it differs, and none when it does not', async () => {
    const { start } = testRuntime([text('a'), text('b'), text('c')])
    const agent = start()
    for (const temperature of [0, 0, 1]) {
      agent.configure({ temperature })
      agent.send('go')
      await agent.whenIdle()
    }
    expect(dataOf(agent.session.events, 'request/header').map(({ reason, header }) => [reason, header.config.temperature])).toEqual([
      ['initial', 0],
      ['change', 1],
    ])
  })

  test('has a resume header for the first request of a driver on a log that has one, even if nothing changed', async () => {
    const { runtime, model, start } = testRuntime([text('a')])
    const first = start()
    first.send('go')
    await first.whenIdle()
    model.add(text('b'), text('c'))
    const { agent } = await runtime.agents.create({
      agentId: 'b',
      sessionId: 's',
      seed: first.session.events,
      agentOptions: { provider: 'test', model: 'scripted' },
    })
    agent.send('more')
    await agent.whenIdle()
    agent.send('and more')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'request/header').map(({ reason }) => reason)).toEqual(['initial', 'resume'])
  })

  test('has a new header when the system text, the tools or their schemas change', async () => {
    const { runtime, start } = testRuntime([text('a'), text('b'), text('c')])
    const agent = start()
    const go = async (): Promise<void> => {
      agent.send('go')
      await agent.whenIdle()
    }
    await go()
    runtime.systemPrompt.section({ name: 's', order: 1, text: 'Be kind.' })
    await go()
    runtime.tools.register(echo)
    await go()
    expect(dataOf(agent.session.events, 'request/header').map(({ reason, header }) => [reason, Object.keys(header)])).toEqual([
      ['initial', ['config']],
      ['change', ['config', 'system']],
      ['change', ['config', 'system', 'tools']],
    ])
  })

  test('of a configure with undefined takes an option away', () => {
    const agent = testRuntime([]).start({ temperature: 1 })
    agent.configure({ temperature: undefined } as never)
    expect(agent.options).toStrictEqual({ provider: 'test', model: 'scripted' })
  })

  test.each([
    ['an option of another kind', { temperature: 'hot' }, /temperature must be a number/],
    ['an option that does not exist', { topP: 1 }, /no option "topP"/],
    ['no number', { maxTokens: Number.NaN }, /NaN/],
  ])('with %s is refused before a session is opened', (_, options, expected) => {
    const { runtime, start } = testRuntime([])
    expect(() => start(options as never)).toThrow(expected)
    expect(runtime.sessions.list()).toEqual([])
  })
})

describe('L9 provider and model', () => {
  test.each([
    [{}, 'No provider and model is set'],
    [{ provider: 'test' }, 'No model is set'],
    [{ model: 'scripted' }, 'No provider is set'],
  ])('are both needed at call time: with %j the turn errors and says what to set', async (options, message) => {
    const { runtime, model } = testRuntime([])
    const agent = runtime.agents.start('a', options)
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason).toMatchObject({
      kind: 'error',
      step: 1,
      message: expect.stringMatching(new RegExp(`^${message}: give it in the agent's options`)),
    })
    expect(model.requests).toEqual([])
    expect(dataOf(agent.session.events, 'request/header')).toEqual([])
  })

  test('may arrive late, through agent/request', async () => {
    const { runtime, model } = testRuntime([text('ok')])
    runtime.on('agent/request', async () => ({ provider: 'test', model: 'late' }))
    const agent = runtime.agents.start('a')
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests[0]?.model).toBe('late')
  })

  test('without an adapter the turn errors and names the providers there are', async () => {
    const { start } = testRuntime([])
    const agent = start({ provider: 'nobody' })
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('"nobody" is not here, or not any more (here: test)'),
    })
  })
})
