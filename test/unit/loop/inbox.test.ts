// L14: what waits is visible and editable, never in the log, and taken once.
import { describe, expect, test } from 'vitest'
import type { Inbox } from '../../../src/worker/hooks/agent.ts'
import { gate } from '../../kit/gate.ts'
import { text } from '../../kit/replies.ts'
import { dataOf, testRuntime, typesOf } from '../../kit/test-runtime.ts'
import { words, wrong } from './samples.ts'

/** A turn that runs until `finish`, with three messages waiting behind it. */
const busy = async () => {
  const pause = gate()
  const made = testRuntime([text('one', { chunks: ['o', pause, 'ne'] }), text('two'), text('three')])
  const agent = made.start()
  agent.send('go', { id: 'm0' })
  await pause.reached
  agent.send('a', { id: 'a' })
  agent.steer('b', { id: 'b' })
  agent.send('c', { id: 'c', source: { kind: 'plugin', plugin: 'p' } })
  const finish = async (): Promise<void> => {
    pause.open()
    await agent.whenIdle()
  }
  const logged = (): readonly string[] =>
    agent.session.events.flatMap(({ type, data }) =>
      type === 'user/message' || type === 'steering/message' ? [(data as { id: string }).id] : [],
    )
  return { ...made, agent, inbox: agent.inbox, finish, logged, ids: () => agent.inbox.waiting.map(({ id }) => id) }
}

describe('L14 the inbox', () => {
  test('lists what waits, in order, with content, source and target', async () => {
    const { inbox, finish } = await busy()
    expect(inbox.waiting).toEqual([
      { id: 'a', content: words('a'), source: { kind: 'user' }, target: 'turn' },
      { id: 'b', content: words('b'), source: { kind: 'user' }, target: 'step' },
      { id: 'c', content: words('c'), source: { kind: 'plugin', plugin: 'p' }, target: 'turn' },
    ])
    expect(inbox.held).toBe(false)
    await finish()
  })

  test('is never in the log: a fresh log begins turn/start, user/message', async () => {
    const { agent, finish } = await busy()
    expect(typesOf(agent.session.events)).toEqual(['turn/start', 'user/message', 'step/start', 'request/header', 'assistant/chunk'])
    await finish()
  })

  test('gives a list that cannot be changed from outside', async () => {
    const { inbox, finish } = await busy()
    expect(() => (inbox.waiting as unknown[]).push(1)).toThrow(TypeError)
    expect(Object.isFrozen(inbox.waiting[0])).toBe(true)
    await finish()
  })

  test('takes an edit, and the edited content is what the model sees', async () => {
    const { inbox, model, finish } = await busy()
    inbox.edit('a', words('better'))
    await finish()
    expect(model.requests.some(({ messages }) => JSON.stringify(messages).includes('"better"'))).toBe(true)
  })

  test('takes a removal', async () => {
    const { inbox, finish, logged } = await busy()
    inbox.remove('a')
    await finish()
    expect(logged()).toEqual(['m0', 'b', 'c'])
  })

  test('takes another order', async () => {
    const { inbox, ids, finish } = await busy()
    inbox.move('c', 'a')
    expect(ids()).toEqual(['c', 'a', 'b'])
    inbox.move('c', null)
    expect(ids()).toEqual(['a', 'b', 'c'])
    inbox.move('a', 'a')
    expect(ids()).toEqual(['a', 'b', 'c'])
    await finish()
  })

  test('turns a prompt into steering of the running turn, and steering back into a prompt', async () => {
    const { agent, inbox, finish } = await busy()
    inbox.retarget('a', 'step')
    inbox.retarget('b', 'turn')
    await finish()
    expect(dataOf(agent.session.events, 'steering/message').map(({ id }) => id)).toEqual(['a'])
    expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toEqual(['m0', 'b', 'c'])
  })

  test('steering of no turn is a prompt: it is not stuck', async () => {
    const { agent, inbox, finish, logged } = await busy()
    agent.cancel('stop', { queue: 'hold' })
    await finish()
    inbox.retarget('a', 'step')
    inbox.release()
    await agent.whenIdle()
    expect(logged()).toEqual(['m0', 'a', 'b', 'c'])
    expect(inbox.waiting).toEqual([])
  })

  test('that is held gives nothing to the running turn, nor to one that is continued', async () => {
    const { agent, inbox, finish, logged, ids } = await busy()
    inbox.hold()
    await finish()
    expect(logged()).toEqual(['m0'])
    agent.continue()
    inbox.hold()
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/start').at(-1)?.trigger.kind).toBe('continue')
    expect(logged()).toEqual(['m0'])
    expect(ids()).toEqual(['a', 'b', 'c'])
  })

  test('tells of every change, and a listener that throws is contained', async () => {
    const { inbox, reported, finish } = await busy()
    const seen: string[] = []
    inbox.onChange(() => {
      throw new Error('mine')
    })
    const off = inbox.onChange(() => void seen.push(inbox.waiting.map(({ id }) => id).join('')))
    inbox.remove('b')
    inbox.move('c', 'a')
    inbox.hold()
    inbox.release()
    off()
    inbox.remove('a')
    expect(seen).toEqual(['ac', 'ca', 'ca', 'ca'])
    expect(reported.length).toBeGreaterThanOrEqual(4)
    expect(reported.every(({ where }) => where === 'inbox')).toBe(true)
    await finish()
  })

  test.each([
    ['an edit', (inbox: Inbox) => inbox.edit('x', words('?'))],
    ['a removal', (inbox: Inbox) => inbox.remove('x')],
    ['a move', (inbox: Inbox) => inbox.move('x', null)],
    ['a move before an unknown one', (inbox: Inbox) => inbox.move('a', 'x')],
    ['a retarget', (inbox: Inbox) => inbox.retarget('x', 'step')],
    ['a target that is none', (inbox: Inbox) => inbox.retarget('a', wrong('later'))],
    ['content that is none', (inbox: Inbox) => inbox.edit('a', wrong({}))],
  ])('refuses %s of a message that does not wait or cannot be read, and loses nothing', async (_, attempt) => {
    const { inbox, ids, finish } = await busy()
    expect(() => attempt(inbox)).toThrow(expect.objectContaining({ code: 'command/invalid' }))
    expect(ids()).toEqual(['a', 'b', 'c'])
    await finish()
  })

  test('a message that was taken for its turn can no longer be edited', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    const attempts: unknown[] = []
    runtime.on('agent/prompt-submit', (agent, _content, _source, next) => {
      expect(agent.inbox.waiting).toEqual([])
      expect(agent.inbox.unlogged.map(({ id }) => id)).toEqual(['m'])
      try {
        agent.inbox.remove('m')
      } catch (error) {
        attempts.push(error)
      }
      return next()
    })
    const agent = start()
    agent.send('go', { id: 'm' })
    await agent.whenIdle()
    expect(attempts).toEqual([expect.objectContaining({ code: 'command/invalid' })])
    expect(agent.inbox.unlogged).toEqual([])
  })
})

describe('L14 a message id that is known is not taken twice', () => {
  test('while it waits', async () => {
    const { agent, finish, logged } = await busy()
    expect(agent.send('again', { id: 'a' })).toBe('a')
    expect(agent.steer('again', { id: 'b' })).toBe('b')
    await finish()
    expect(logged()).toEqual(['m0', 'b', 'a', 'c'])
  })

  test('while it is being submitted', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    runtime.on('agent/prompt-submit', (agent, _content, _source, next) => {
      agent.send('again', { id: 'm' })
      return next()
    })
    const agent = start()
    agent.send('go', { id: 'm' })
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'user/message').map(({ content }) => content)).toEqual([words('go')])
  })

  test('when it is in the log, as a prompt, as steering or blocked, and nobody is told of it', async () => {
    const { agent, runtime, finish } = await busy()
    runtime.on('agent/prompt-submit', async (_agent, content, _source, next) =>
      JSON.stringify(content).includes('"c"') ? { kind: 'block', reason: 'no' } : next(),
    )
    await finish()
    const length = agent.session.events.length
    let queued = 0
    runtime.on('agent/queued', () => void queued++)
    for (const id of ['m0', 'a', 'b', 'c']) agent.send('again', { id })
    await agent.whenIdle()
    expect(queued).toBe(0)
    expect(agent.session.events).toHaveLength(length)
  })

  test('L14 over a seed too', async () => {
    const { agent: first, finish } = await busy()
    await finish()
    const { runtime, model } = testRuntime([])
    const { agent } = await runtime.agents.create({ agentId: 'b', sessionId: 's', seed: first.session.events, agentOptions: first.options })
    agent.send('again', { id: 'a' })
    await agent.whenIdle()
    expect(model.requests).toEqual([])
  })
})
