// Contract 2, hooks: the four modes of dispatch, and L70: who gets what, and when.
import { describe, expect, test } from 'vitest'
import type { CallConfig } from '../../../src/storage/log/model-call.ts'
import { createHookBus } from '../../../src/worker/hooks/hook-bus.ts'
import { text } from '../../kit/replies.ts'
import { testRuntime } from '../../kit/test-runtime.ts'
import { wrong } from './samples.ts'

const { runtime: agents } = testRuntime([])
const agent = agents.agents.start('someone')
const config: CallConfig = { provider: 'p', model: 'inner' }

const newBus = () => {
  const reported: { error: unknown; where: string }[] = []
  return { bus: createHookBus((error, where) => void reported.push({ error, where })), reported }
}

describe('emit', () => {
  test('calls every listener in order, and contains what one throws, at once or later', async () => {
    const { bus, reported } = newBus()
    const seen: number[] = []
    bus.on('agent/created', () => void seen.push(1))
    bus.on('agent/created', () => {
      throw new Error('2')
    })
    bus.on('agent/created', async () => {
      throw new Error('3')
    })
    bus.on('agent/created', () => void seen.push(4))
    bus.emit('agent/created', agent)
    expect(seen).toEqual([1, 4])
    await Promise.resolve()
    expect(reported.map(({ error }) => (error as Error).message)).toEqual(['2', '3'])
    expect(reported.every(({ where }) => where === 'agent/created')).toBe(true)
  })
})

describe('serial', () => {
  test('awaits each in order and stops at the first value; undefined, null and false are none', async () => {
    const { bus } = newBus()
    const seen: number[] = []
    const give = (n: number, value: unknown) => async () => {
      await Promise.resolve()
      seen.push(n)
      return value
    }
    for (const [i, value] of [undefined, null, false, 0, 'never'].entries()) bus.on('agent/pre-step', give(i, value))
    expect(await bus.serial('agent/pre-step', agent, 1, 1, '', [], new AbortController().signal)).toBe(0)
    expect(seen).toEqual([0, 1, 2, 3])
  })

  test('rejects with what a listener throws, and calls none behind it', async () => {
    const { bus } = newBus()
    let called = false
    bus.on('agent/turn-stop', () => {
      throw new Error('no')
    })
    bus.on('agent/turn-stop', () => {
      called = true
      return undefined
    })
    await expect(bus.serial('agent/turn-stop', agent, 1)).rejects.toThrow('no')
    expect(called).toBe(false)
  })
})

describe('waterfall', () => {
  const ask = (bus: ReturnType<typeof newBus>['bus']) => bus.waterfall('agent/request', agent, 1, 1, config, async () => config)

  test('without listeners gives the inner value', async () => {
    expect(await ask(newBus().bus)).toBe(config)
  })

  test('the first registered is outermost, and each wraps what next gives', async () => {
    const { bus } = newBus()
    const wrap = (name: string) => async (_a: unknown, _t: unknown, _s: unknown, _c: unknown, next: () => Promise<CallConfig>) => {
      const inner = await next()
      return { ...inner, model: `${name}(${inner.model})` }
    }
    bus.on('agent/request', wrap('b'))
    bus.on('agent/request', wrap('c'))
    bus.on('agent/request', wrap('a'), { prepend: true })
    expect((await ask(bus)).model).toBe('a(b(c(inner)))')
  })

  test('not calling next short-circuits', async () => {
    const { bus } = newBus()
    let called = false
    bus.on('agent/request', async () => ({ provider: 'p', model: 'mine' }))
    bus.on('agent/request', (_agent, _turn, _step, _config, next) => {
      called = true
      return next()
    })
    expect((await ask(bus)).model).toBe('mine')
    expect(called).toBe(false)
  })

  test('next gives a rejection for whatever is thrown inside, which the outer listener may answer', async () => {
    const { bus } = newBus()
    bus.on('agent/request', (_agent, _turn, _step, _config, next) => next().catch(() => ({ provider: 'p', model: 'saved' })))
    bus.on('agent/request', () => {
      throw new Error('at once')
    })
    expect((await ask(bus)).model).toBe('saved')
  })

  test.each([
    ['at once', () => undefined],
    ['later', async () => undefined],
  ])('a listener that gives nothing, %s, is a TypeError that names the event', async (_, listener) => {
    const { bus } = newBus()
    bus.on('agent/request', wrong(listener))
    await expect(ask(bus)).rejects.toThrow(new TypeError('A listener of agent/request returned nothing; it must return a value or next()'))
  })
})

describe('parallel', () => {
  test('starts all, awaits all, and then throws the first failure', async () => {
    const { bus } = newBus()
    const seen: string[] = []
    bus.on('session/flush', async () => {
      seen.push('a starts')
      await Promise.resolve()
      throw new Error('a')
    })
    bus.on('session/flush', () => {
      seen.push('b starts')
      throw new Error('b')
    })
    bus.on('session/flush', async () => {
      seen.push('c starts')
      for (let i = 0; i < 5; i++) await Promise.resolve()
      seen.push('c ends')
    })
    await expect(bus.parallel('session/flush', agent.session)).rejects.toThrow('a')
    expect(seen).toEqual(['a starts', 'b starts', 'c starts', 'c ends'])
  })
})

describe('L70 listeners', () => {
  test('get the same agent that start gave', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    const seen = new Set<unknown>()
    const note = (given: unknown): undefined => void seen.add(given)
    for (const event of [
      'agent/created',
      'agent/status',
      'agent/queued',
      'agent/session-start',
      'agent/pre-step',
      'agent/disposed',
    ] as const)
      runtime.on(event, note)
    const started = start()
    started.send('go')
    await started.whenIdle()
    await runtime.agents.dispose('a')
    expect([...seen]).toEqual([started])
    const { agent: created } = await runtime.agents.create({ agentId: 'b', sessionId: 's' })
    expect(runtime.agents.get('b')).toBe(created)
    expect(seen.has(created)).toBe(true)
  })

  test('agent/session-start says startup for a fresh agent', () => {
    const { runtime, start } = testRuntime([])
    const how: string[] = []
    runtime.on('agent/session-start', (_agent, kind) => void how.push(kind))
    start()
    expect(how).toEqual(['startup'])
  })

  test('may dispose themselves while they run, and are called no more', async () => {
    const { runtime, start } = testRuntime([text('a'), text('b')])
    let called = 0
    const off = runtime.on('agent/pre-step', () => {
      called++
      void off()
    })
    let behind = 0
    runtime.on('agent/pre-step', () => void behind++)
    const started = start()
    for (const prompt of ['a', 'b']) {
      started.send(prompt)
      await started.whenIdle()
    }
    expect([called, behind]).toEqual([1, 2])
  })

  test('the list is taken at the dispatch: who comes or goes meanwhile changes the next one', () => {
    const { bus } = newBus()
    const seen: string[] = []
    bus.on('agent/created', () => {
      seen.push('a')
      void offB()
      bus.on('agent/created', () => void seen.push('new'))
    })
    const offB = bus.on('agent/created', () => void seen.push('b'))
    bus.emit('agent/created', agent)
    expect(seen).toEqual(['a', 'b'])
    bus.emit('agent/created', agent)
    expect(seen).toEqual(['a', 'b', 'a', 'new'])
  })

  test('the same function registered twice is two listeners, and each disposer takes away its own', () => {
    const { bus } = newBus()
    let called = 0
    const listener = (): void => void called++
    const off = bus.on('agent/created', listener)
    bus.on('agent/created', listener)
    void off()
    void off()
    bus.emit('agent/created', agent)
    expect(called).toBe(1)
    expect(bus.has('agent/created')).toBe(true)
    expect(bus.has('agent/error')).toBe(false)
  })

  test('of an event that does not exist, or that are no function, are refused', () => {
    const { bus } = newBus()
    expect(() => bus.on<'agent/created'>(wrong('agent/creatd'), () => {})).toThrow('There is no event named "agent/creatd"')
    expect(() => bus.on<'agent/created'>(wrong('toString'), () => {})).toThrow('no event named')
    expect(() => bus.on('agent/created', wrong(undefined))).toThrow('must be a function')
  })
})

describe('L71 an append', () => {
  test('from inside a session/event listener of the same session throws; the event it was told of stays', async () => {
    const { runtime, reported, start } = testRuntime([text('ok')])
    runtime.on('session/event', (session) => {
      session.append('session/title', { title: 'no', by: 'plugin' })
    })
    const started = start()
    started.send('go')
    await started.whenIdle()
    expect(reported).toHaveLength(started.session.events.length)
    expect(reported[0]?.error).toMatchObject({ code: 'session/invalid' })
    expect(started.session.events.some(({ type }) => type === 'session/title')).toBe(false)
  })

  test('into another session is legal there', async () => {
    const { runtime, reported, start } = testRuntime([text('ok')])
    const other = runtime.sessions.create('other')
    runtime.on('session/event', (session, event) => {
      if (session !== other) other.append('plugin/noted', { plugin: 'mirror', data: event.seq })
    })
    const started = start()
    started.send('go')
    await started.whenIdle()
    expect(reported).toEqual([])
    expect(other.events).toHaveLength(started.session.events.length)
  })

  test('from agent/pre-step is legal, lands before step/start, and is in that request', async () => {
    const { runtime, model, start } = testRuntime([text('ok')])
    runtime.on('agent/pre-step', ({ session }) => {
      session.append(
        'context/message',
        { content: [{ type: 'text', text: 'now' }], source: { kind: 'plugin', plugin: 'p' }, envelope: 'raw' },
        { surfaceOp: 'append' },
      )
    })
    const started = start()
    started.send('go')
    await started.whenIdle()
    expect(started.session.events.slice(2, 4).map(({ type }) => type)).toEqual(['context/message', 'step/start'])
    expect(model.requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: 'now' }] })
  })
})
