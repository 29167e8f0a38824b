// L72 and L73: a plugin has a scope of its own, and everything in it ends with it.
import { describe, expect, test } from 'vitest'
import type { Plugin, Scope } from '../../../src/worker/loop/scope.ts'
import { createRuntime } from '../../../src/worker/runtime.ts'
import { gate } from '../../kit/gate.ts'
import { hold, reply, text } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'
import { echo, wrong } from './samples.ts'

describe('L72 a plugin', () => {
  test('gets a scope and its configuration; what a plain one registers is there when use returns', async () => {
    const { runtime } = testRuntime([])
    const given: unknown[] = []
    const { ready } = runtime.use(
      (scope: Scope, config: { readonly n: number }) => {
        given.push(config)
        scope.tools.register(echo)
      },
      { n: 1 },
    )
    expect(runtime.tools.get('echo')).toBeDefined()
    await ready
    expect(given).toEqual([{ n: 1 }])
  })

  test('takes everything with it when it is disposed: tools, guards, adapters, sections, variables, listeners, sessions, agents', async () => {
    const { runtime } = testRuntime([])
    const before = { providers: runtime.llm.providers(), prompt: await runtime.systemPrompt.assemble({}) }
    let heard = 0
    const { dispose } = runtime.use(async (scope) => {
      scope.tools.register(echo)
      scope.tools.guard(() => 'no')
      scope.llm.registerAdapter(['mine'], scriptedModel([]))
      scope.systemPrompt.section({ name: 'mine', order: 1, text: 'mine' })
      scope.systemPrompt.variable('mine', () => '1')
      scope.on('session/created', () => void heard++)
      scope.sessions.create('s')
      scope.sessions.fork(scope.sessions.get('s') ?? wrong(undefined), 0, 'f')
      scope.agents.start('mine')
      await scope.agents.create({ agentId: 'second', sessionId: 't' })
      scope.use((inner) => void inner.systemPrompt.section({ name: 'inner', order: 2, text: 'inner' }))
    })
    await Promise.resolve()
    expect(heard).toBe(4)
    await dispose()
    expect(runtime.tools.schemas()).toEqual([])
    expect(runtime.llm.providers()).toEqual(before.providers)
    expect(await runtime.systemPrompt.assemble({})).toEqual(before.prompt)
    expect(runtime.agents.list()).toEqual([])
    expect(runtime.sessions.list()).toEqual([])
    runtime.sessions.create('after')
    expect(heard).toBe(4)
    runtime.tools.register(echo)
    const call = { callId: 'c', name: 'echo', arguments: { text: 'x' }, signal: new AbortController().signal }
    expect((await runtime.tools.execute(call)).isError).toBe(false)
  })

  test('is undone in reverse, each step awaited, its own disposer first', async () => {
    const { runtime } = testRuntime([])
    const seen: string[] = []
    const { ready, dispose } = runtime.use((scope) => {
      scope.use(() => async () => {
        seen.push('a ends')
        await Promise.resolve()
        seen.push('a ended')
      })
      scope.use(() => () => void seen.push('b'))
      return () => void seen.push('own')
    })
    await ready
    await dispose()
    expect(seen).toEqual(['own', 'b', 'a ends', 'a ended'])
    await dispose()
    expect(seen).toHaveLength(4)
  })

  test('takes its agents with it in the middle of a turn', async () => {
    const pause = gate()
    const { runtime } = testRuntime([reply(text('seen'), hold(pause))])
    const { dispose } = runtime.use((scope) => void scope.agents.start('mine', { provider: 'test', model: 'm' }))
    const agent = runtime.agents.get('mine') ?? wrong(undefined)
    agent.send('go')
    await pause.reached
    await dispose()
    expect(dataOf(agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'disposed' } }])
    expect(agent.status).toBe('disposed')
  })

  test('disposed while its listener runs lets that dispatch go on', async () => {
    const { runtime, start } = testRuntime([text('a'), text('b')])
    const seen: string[] = []
    const plugin = runtime.use((scope) => {
      scope.on('agent/request', async (_agent, _turn, _step, _config, next) => {
        seen.push('asked')
        await plugin.dispose()
        seen.push('disposed')
        return next()
      })
    })
    const agent = start()
    for (const prompt of ['a', 'b']) {
      agent.send(prompt)
      await agent.whenIdle()
    }
    expect(seen).toEqual(['asked', 'disposed'])
    expect(dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason.kind)).toEqual(['completed', 'completed'])
  })

  test('can be loaded again under the same names (hot reload)', async () => {
    const { runtime } = testRuntime([])
    const plugin: Plugin = (scope) => {
      scope.tools.register(echo)
      scope.systemPrompt.section({ name: 'mine', order: 1, text: 'mine' })
      scope.agents.start('mine')
    }
    for (let i = 0; i < 3; i++) {
      const { ready, dispose } = runtime.use(plugin)
      await ready
      await dispose()
    }
    expect(runtime.agents.list()).toEqual([])
  })

  test('that fails while it is set up leaves nothing behind; ready rejects, and it is reported', async () => {
    const { runtime, reported } = testRuntime([])
    const { ready } = runtime.use((scope) => {
      scope.tools.register(echo)
      throw new Error('no')
    })
    await expect(ready).rejects.toThrow('no')
    expect(runtime.tools.schemas()).toEqual([])
    expect(reported).toEqual([{ error: new Error('no'), where: 'plugin' }])
  })

  test('whose disposer fails is reported, and the rest is undone all the same', async () => {
    const { runtime, reported } = testRuntime([])
    const { ready, dispose } = runtime.use((scope) => {
      scope.tools.register(echo)
      return () => {
        throw new Error('stuck')
      }
    })
    await ready
    await dispose()
    expect(reported).toEqual([{ error: new Error('stuck'), where: 'dispose' }])
    expect(runtime.tools.schemas()).toEqual([])
  })

  test('disposed while it is still being set up: what it registers later is refused, its disposer runs, and the disposal waits for it', async () => {
    const { runtime } = testRuntime([])
    const pause = gate()
    const seen: string[] = []
    const { ready, dispose } = runtime.use(async (scope) => {
      await pause.opened
      try {
        scope.tools.register(echo)
      } catch (error) {
        seen.push((error as { code: string }).code)
      }
      return () => void seen.push('disposer')
    })
    const disposing = dispose()
    void disposing.then(() => seen.push('disposed'))
    await new Promise((resolve) => void setImmediate(resolve))
    expect(seen, 'the disposal waits').toEqual([])
    pause.open()
    await disposing
    await ready
    expect(seen).toEqual(['agent/disposed', 'disposer', 'disposed'])
    expect(runtime.tools.schemas()).toEqual([])
  })

  test('cannot start or open anything in a scope that is disposed', async () => {
    const { runtime } = testRuntime([])
    let scope: Scope = runtime
    const { ready, dispose } = runtime.use((mine) => {
      scope = mine
    })
    await ready
    await dispose()
    expect(() => scope.agents.start('x')).toThrow('disposed')
    expect(() => scope.sessions.create()).toThrow('disposed')
    expect(() => scope.on('agent/created', () => {})).toThrow('disposed')
    expect(() => scope.llm.registerAdapter(['x'], scriptedModel([]))).toThrow('disposed')
    await expect(scope.agents.resume({ agentId: 'x', resumeSessionId: 's' })).rejects.toThrow('disposed')
    expect(runtime.agents.list()).toEqual([])
    expect(runtime.llm.providers()).toEqual(['test'])
  })
})

describe('agents of a runtime', () => {
  test('can be started by its options', async () => {
    const runtime = createRuntime({ agents: [{ id: 'a', provider: 'test', model: 'm', cwd: '/work' }, { id: 'b' }] })
    expect(runtime.agents.list().map(({ id }) => id)).toEqual(['a', 'b'])
    expect(runtime.agents.get('a')?.options).toEqual({ provider: 'test', model: 'm' })
    expect(runtime.agents.get('a')?.session.header.cwd).toBe('/work')
    expect(runtime.agents.get('b')?.session.header).not.toHaveProperty('cwd')
    await runtime.dispose()
  })

  test('have a fresh session of their own, named after them', () => {
    const agent = testRuntime([]).start()
    expect(agent.session.id).toBe('a-session-id-001')
    expect(agent.session.header).toEqual({ version: 1, id: 'a-session-id-001', createdAt: 1000 })
  })

  test('with an id that is none, or that lives already, are refused, and open no session', () => {
    const { runtime, start } = testRuntime([])
    start()
    for (const id of ['', 'a', wrong(undefined)])
      expect(() => runtime.agents.start(id)).toThrow(expect.objectContaining({ code: 'command/invalid' }))
    expect(runtime.sessions.list()).toHaveLength(1)
  })

  test('cannot be resumed without persistence, and it says so', async () => {
    const { runtime } = testRuntime([])
    await expect(runtime.agents.resume({ agentId: 'a', resumeSessionId: 's' })).rejects.toMatchObject({
      code: 'session/unknown',
      message: expect.stringContaining('no persistence is mounted'),
    })
  })

  test('that are resumed begin with resume, and what waited is restored; a restore that fails leaves nothing behind', async () => {
    const { runtime, start } = testRuntime([text('ok'), text('more')])
    const first = start()
    first.send('go')
    await first.whenIdle()
    const how: string[] = []
    runtime.on('agent/session-start', (_agent, kind) => void how.push(kind))
    let broken = true
    runtime.sessions.loader(async (id) => ({
      header: { version: 1, id, createdAt: 5 },
      events: [...first.session.events],
      restore(agent) {
        if (broken) throw new Error('broken row')
        agent.send('waited', { id: 'w' })
      },
    }))
    const options = { agentId: 'b', resumeSessionId: 's', agentOptions: first.options }
    await expect(runtime.agents.resume(options)).rejects.toThrow('broken row')
    expect(runtime.agents.get('b')).toBeUndefined()
    expect(runtime.sessions.get('s')).toBeUndefined()
    broken = false
    const { agent } = await runtime.agents.resume(options)
    await agent.whenIdle()
    expect(how).toEqual(['resume', 'resume'])
    expect(agent.session.header.createdAt).toBe(5)
    expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toContain('w')
    expect(() => runtime.sessions.loader(async () => wrong(undefined))).toThrow('mounted already')
  })

  test('whose name is taken are refused before a stored session is claimed for them', async () => {
    const { runtime, start } = testRuntime([])
    start()
    let claimed = false
    runtime.sessions.loader(async () => {
      claimed = true
      return wrong(undefined)
    })
    await expect(runtime.agents.resume({ agentId: 'a', resumeSessionId: 's' })).rejects.toThrow('lives already')
    expect(claimed).toBe(false)
  })

  test('of a runtime with a nonsensical option are not started: the option is refused', () => {
    expect(() => createRuntime({ maxParallelToolCalls: 0 })).toThrow('maxParallelToolCalls')
    expect(() => createRuntime({ maxParallelToolCalls: Number.NaN })).toThrow('maxParallelToolCalls')
  })
})

describe('sessions of a runtime', () => {
  test('made from a seed add no event and fire none', () => {
    const { runtime } = testRuntime([])
    const first = runtime.sessions.create('a')
    first.append('session/title', { title: 'A', by: 'user' })
    const events: unknown[] = []
    runtime.on('session/event', (_, event) => void events.push(event))
    const copy = runtime.sessions.create('b', { seed: first.events, meta: { cwd: '/x', depth: undefined as never } })
    expect([...copy.events]).toEqual([...first.events])
    expect(events).toEqual([])
    expect(copy.header).toEqual({ version: 1, id: 'b', createdAt: expect.any(Number), cwd: '/x' })
    expect(Object.isFrozen(copy.header)).toBe(true)
  })

  test('that are forked say where they come from, and go on by themselves', () => {
    const { runtime } = testRuntime([])
    const first = runtime.sessions.create('a', { meta: { cwd: '/x' } })
    for (const title of ['A', 'B', 'C']) first.append('session/title', { title, by: 'user' })
    const fork = runtime.sessions.fork(first, 2, 'f')
    expect(fork.header).toEqual({ version: 1, id: 'f', createdAt: expect.any(Number), cwd: '/x', parentSession: 'a', seedLength: 2 })
    expect(fork.append('session/title', { title: 'D', by: 'user' }).seq).toBe(2)
    expect(first.events).toHaveLength(3)
    expect(runtime.sessions.fork(first).events).toHaveLength(3)
  })

  test('whose id is open, or whose header is wrong, are refused', () => {
    const { runtime } = testRuntime([])
    runtime.sessions.create('a')
    expect(() => runtime.sessions.create('a')).toThrow(expect.objectContaining({ code: 'session/busy' }))
    expect(() => runtime.sessions.create('b', { meta: { cwd: 'relative' } })).toThrow('cwd')
    expect(() => runtime.sessions.create('b', { meta: wrong({ id: 'other' }) })).toThrow('another id')
    expect(() => runtime.sessions.create('b', { meta: wrong({ title: 'A' }) })).toThrow('title')
    expect(runtime.sessions.list()).toHaveLength(1)
  })

  test('are flushed on demand by everybody who listens', async () => {
    const { runtime } = testRuntime([])
    const session = runtime.sessions.create('a')
    const flushed: unknown[] = []
    runtime.on('session/flush', async (given) => void flushed.push(given))
    await runtime.sessions.flush(session)
    expect(flushed).toEqual([session])
  })
})
