// L10 to L15: how messages come in.
import { describe, expect, test } from 'vitest'
import { gate } from '../../kit/gate.ts'
import { hold, reply, text, throws, toolCall } from '../../kit/replies.ts'
import { dataOf, eventWhere, testRuntime, typesOf } from '../../kit/test-runtime.ts'
import { isDeepFrozen } from '../log/new-log.ts'
import { echo, words, wrong } from './samples.ts'

const tides = { kind: 'plugin', plugin: 'tides' } as const

describe('L10 send', () => {
  test('emits agent/queued, gives the id, and leaves the status idle in that tick', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    const seen: unknown[] = []
    runtime.on('agent/queued', (agent, content, info) => void seen.push([agent.status, content, info]))
    runtime.on('agent/status', (_, status) => void seen.push(status))
    const agent = start()
    const id = agent.send('hi', { source: tides })
    expect(seen).toEqual([['idle', words('hi'), { id, source: tides, steering: false }]])
    expect(agent.status).toBe('idle')
    expect(agent.session.events).toHaveLength(0)
    await Promise.resolve()
    await Promise.resolve()
    expect(agent.status).toBe('running')
    await agent.whenIdle()
    expect(seen.slice(1)).toEqual(['running', 'idle'])
  })

  test('twice in one tick shares a turn', async () => {
    const { start } = testRuntime([text('ok')])
    const agent = start()
    agent.send('one')
    agent.send('two')
    await agent.whenIdle()
    expect(typesOf(agent.session.events).slice(0, 4)).toEqual(['turn/start', 'user/message', 'user/message', 'step/start'])
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(1)
  })

  test('freezes what it takes: a later change of the caller reaches nobody', async () => {
    const { runtime, model, start } = testRuntime([text('ok')])
    const queued: unknown[] = []
    runtime.on('agent/queued', (_agent, content) => void queued.push(content))
    const agent = start()
    const content = [{ type: 'text' as const, text: 'hi' }]
    agent.send(content)
    content[0]!.text = 'changed'
    await agent.whenIdle()
    expect(isDeepFrozen(queued)).toBe(false)
    expect(isDeepFrozen(queued[0])).toBe(true)
    expect(model.requests[0]?.messages[0]?.content).toEqual(words('hi'))
  })

  test.each([
    ['no content', undefined],
    ['a number', 42],
    ['an object', {}],
    ['a list of texts', ['hi']],
    ['a block without its text', [{ type: 'text' }]],
    ['a block of no known type', [{ type: 'video', url: 'x' }]],
    ['a block that is not plain JSON', [{ type: 'text', text: 'x', at: new Date(0) }]],
  ])('refuses %s, clearly and at once', async (_, content) => {
    const { start } = testRuntime([text('ok')])
    const agent = start()
    for (const verb of ['send', 'steer', 'inject'] as const) expect(() => agent[verb](wrong(content))).toThrow(/content/)
    await agent.whenIdle()
    expect(agent.inbox.waiting).toEqual([])
    expect(agent.session.events).toHaveLength(0)
  })

  test('refuses a source that is none and an id that is empty', () => {
    const agent = testRuntime([]).start()
    expect(() => agent.send('hi', { source: wrong('user') })).toThrow(/source/)
    expect(() => agent.send('hi', { id: '' })).toThrow(/id/)
    expect(() => agent.inject('hi', { envelope: wrong('letter') })).toThrow(/envelope/)
    expect(() => agent.inject('hi', { meta: wrong(new Map()) })).toThrow(/meta/)
    expect(agent.session.events).toHaveLength(0)
  })

  test('from inside a session/event observer becomes the next turn, with no idle between', async () => {
    const { runtime, start } = testRuntime([text('one'), text('two')])
    const statuses: string[] = []
    runtime.on('agent/status', (_, status) => void statuses.push(status))
    runtime.on('session/event', (_, event) => {
      if (event.type === 'turn/end' && event.data.turn === 1) agent.send('again', { id: 'again' })
    })
    const agent = start()
    agent.send('hi')
    await agent.whenIdle()
    expect(statuses).toEqual(['running', 'idle'])
    expect(dataOf(agent.session.events, 'user/message').map(({ content }) => content)).toEqual([words('hi'), words('again')])
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(2)
  })

  test('from a listener of the idle status wakes the driver again', async () => {
    const { runtime, start } = testRuntime([text('one'), text('two')])
    const statuses: string[] = []
    runtime.on('agent/status', (agent, status) => {
      statuses.push(status)
      if (statuses.length === 2) agent.send('more')
    })
    const agent = start()
    agent.send('hi')
    await agent.whenIdle()
    expect(statuses).toEqual(['running', 'idle', 'running', 'idle'])
  })
})

describe('L11 steer', () => {
  test('while idle is a send', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    const queued: boolean[] = []
    runtime.on('agent/queued', (_agent, _content, { steering }) => void queued.push(steering))
    const agent = start()
    agent.steer('hi', { id: 'm' })
    await agent.whenIdle()
    expect(queued).toEqual([false])
    expect(dataOf(agent.session.events, 'user/message')).toMatchObject([{ id: 'm' }])
  })

  test('while running enters before the next step/start and is in the next request', async () => {
    const pause = gate()
    const { runtime, model, start } = testRuntime([reply(toolCall('echo', { text: 'x' }), hold(pause)), text('done')])
    runtime.tools.register(echo)
    const agent = start()
    agent.send('go')
    await pause.reached
    agent.steer('left', { id: 'm', source: tides })
    pause.open()
    await agent.whenIdle()
    expect(typesOf(agent.session.events).slice(-10)).toEqual([
      'assistant/message',
      'tool/call',
      'tool/result',
      'steering/message',
      'step/end',
      'step/start',
      'assistant/chunk',
      'assistant/message',
      'step/end',
      'turn/end',
    ])
    expect(dataOf(agent.session.events, 'steering/message')).toEqual([{ id: 'm', turn: 1, content: words('left'), source: tides }])
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('<steering source=\\"plugin\\">')
  })

  test('from inside a session/event observer is the steering of the next step', async () => {
    const { runtime, model, start } = testRuntime([text('one'), text('two')])
    runtime.on('session/event', (_, { type }) => {
      if (type === 'assistant/message' && model.requests.length === 1) agent.steer('and', { id: 'and' })
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(1)
    expect(dataOf(agent.session.events, 'steering/message').map(({ id }) => id)).toEqual(['and'])
  })

  test('at the last moment, from the observer of step/end, keeps the turn going', async () => {
    const { runtime, model, start } = testRuntime([text('one'), text('two')])
    runtime.on('session/event', (_, { type }) => {
      if (type === 'step/end' && model.requests.length === 1) agent.steer('wait')
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(1)
    expect(model.requests).toHaveLength(2)
  })
})

describe('L12 inject', () => {
  test('with a turn open appends a context into it at once', async () => {
    const pause = gate()
    const { start } = testRuntime([text('partial', { chunks: ['par', pause, 'tial'] })])
    const agent = start()
    agent.send('go')
    await pause.reached
    agent.inject('news', { source: tides, envelope: 'raw', meta: { from: 'test' } })
    expect(agent.session.events.at(-1)).toMatchObject({
      type: 'context/message',
      data: { content: words('news'), source: tides, envelope: 'raw', meta: { from: 'test' } },
    })
    pause.open()
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(1)
  })

  test('with none open is a turn of its own at once, one flush, and never wakes the model', async () => {
    const { runtime, model, start } = testRuntime([])
    const seen: string[] = []
    runtime.on('agent/status', (_, status) => void seen.push(status))
    runtime.on('session/flush', () => void seen.push('flush'))
    const agent = start()
    agent.inject('news')
    expect(typesOf(agent.session.events)).toEqual(['turn/start', 'context/message', 'turn/end'])
    expect(dataOf(agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'completed' } }])
    await agent.whenIdle()
    expect(seen).toEqual(['flush'])
    expect(model.requests).toEqual([])
  })

  test('while idle is flushed before whenIdle resolves', async () => {
    const { runtime, start } = testRuntime([])
    const disk = gate()
    let flushed = false
    runtime.on('session/flush', async () => {
      await disk.opened
      flushed = true
    })
    const agent = start()
    agent.inject('news')
    const idle = agent.whenIdle()
    disk.open()
    await idle
    expect(flushed).toBe(true)
  })

  test('while a batch of calls runs waits, so that every result stands right behind its call', async () => {
    const { runtime, start } = testRuntime([reply(toolCall('meddle', {}, 'c1'), toolCall('meddle', {}, 'c2')), text('done')])
    runtime.tools.register({
      name: 'meddle',
      description: 'd',
      parameters: {},
      execute: (_args: never, { agent, callId, deferContext }) => {
        agent?.inject(`injected by ${callId}`)
        deferContext({ content: words(`deferred by ${callId}`), source: tides })
        return 'ok'
      },
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    const types = typesOf(agent.session.events)
    expect(types.slice(types.indexOf('tool/call'), types.indexOf('step/end'))).toEqual([
      'tool/call',
      'tool/result',
      'tool/call',
      'tool/result',
      ...Array<string>(4).fill('context/message'),
    ])
    expect(dataOf(agent.session.events, 'context/message').map(({ content }) => content[0])).toEqual([
      words('injected by c1')[0],
      words('deferred by c1')[0],
      words('injected by c2')[0],
      words('deferred by c2')[0],
    ])
  })

  test('L71 from inside a session/event observer throws, wherever the turn is', async () => {
    const { runtime, reported, start } = testRuntime([toolCall('echo', { text: 'x' }), text('done')])
    runtime.tools.register(echo)
    const types: string[] = []
    runtime.on('session/event', (_, { type }) => {
      types.push(type)
      agent.inject('never')
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(reported.map(({ where }) => where)).toEqual(types.map(() => 'session/event'))
    expect(types).not.toContain('context/message')
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason).toEqual({ kind: 'completed' })
  })
})

describe('L13 steering of a step that fails', () => {
  test('is not lost: it opens a fresh turn', async () => {
    const pause = gate()
    const { start } = testRuntime([reply(hold(pause), throws(new Error('down'))), text('ok')])
    const agent = start()
    agent.send('go')
    await pause.reached
    agent.steer('still there?', { id: 's' })
    pause.open()
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason.kind)).toEqual(['error', 'completed'])
    expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toContain('s')
  })

  test('that arrives after the cancel of a turn opens a fresh turn; what was there before is dropped with it', async () => {
    const pause = gate()
    const { runtime, start } = testRuntime([reply(text('a'), hold(pause)), text('ok')])
    runtime.on('session/event', (_, { type }) => {
      if (type === 'step/end') agent.steer('after', { id: 'after' })
    })
    const agent = start()
    agent.send('go')
    await pause.reached
    agent.steer('before', { id: 'before' })
    agent.cancel()
    await eventWhere(runtime, agent, ({ type }) => type === 'turn/end')
    await agent.whenIdle()
    const ids = dataOf(agent.session.events, 'user/message').map(({ id }) => id)
    expect(ids).toContain('after')
    expect(ids).not.toContain('before')
  })
})

describe('L15 continue', () => {
  test('opens a turn without a message, after an error, with what the surface holds', async () => {
    const { model, start } = testRuntime([throws(new Error('down')), text('ok')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    agent.continue({ source: tides })
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/start')[1]).toEqual({ turn: 2, trigger: { kind: 'continue', source: tides } })
    expect(dataOf(agent.session.events, 'user/message')).toHaveLength(1)
    expect(model.requests[1]?.messages).toEqual([{ role: 'user', content: words('go') }])
  })

  test('derives again: what was injected meanwhile is in the new request', async () => {
    const { model, start } = testRuntime([throws(new Error('down')), text('ok')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    agent.inject('news', { envelope: 'raw' })
    agent.continue()
    await agent.whenIdle()
    expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual([words('go'), words('news')])
  })

  test('while a turn runs opens no other', async () => {
    const pause = gate()
    const { start } = testRuntime([text('ok', { chunks: ['o', pause, 'k'] })])
    const agent = start()
    agent.send('go')
    await pause.reached
    agent.continue()
    pause.open()
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(1)
  })

  test('with messages waiting is the turn of those messages', async () => {
    const { start } = testRuntime([text('ok')])
    const agent = start()
    agent.continue()
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/start')).toEqual([{ turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } }])
  })
})
