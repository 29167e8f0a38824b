// L60 to L62: how the system text is put together.
import { describe, expect, test } from 'vitest'
import { text } from '../../kit/replies.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'
import { echo, wrong } from './samples.ts'

type Made = ReturnType<typeof testRuntime>

/** The system text of one turn. */
const systemOf = async (prepare: (runtime: Made['runtime']) => void, options: Parameters<typeof testRuntime>[1] = {}, cwd?: string) => {
  const { runtime, model } = testRuntime([text('ok')], options)
  prepare(runtime)
  const agent = runtime.agents.start('a', { provider: 'test', model: 'scripted' }, cwd === undefined ? {} : { cwd })
  agent.send('go')
  await agent.whenIdle()
  return { system: model.requests[0]?.system, agent, model, runtime, reason: dataOf(agent.session.events, 'turn/end')[0]?.reason }
}

describe('L60 sections', () => {
  test('are joined by a blank line in their order, whatever the order of registration', async () => {
    const { system } = await systemOf(
      ({ systemPrompt }) => {
        systemPrompt.section({ name: 'tools', order: 100, text: 'Use tools.' })
        systemPrompt.section({ name: 'first', order: -200, text: 'First of all.' })
        systemPrompt.section({ name: 'mood', order: 50, text: () => 'Be kind.' })
        systemPrompt.section({ name: 'also', order: 50, text: 'Be brief.' })
      },
      { identity: 'You are an agent.', persona: 'Your name is Ada.' },
    )
    expect(system).toBe('First of all.\n\nYou are an agent.\n\nYour name is Ada.\n\nBe kind.\n\nBe brief.\n\nUse tools.')
  })

  test('that are empty vanish', async () => {
    const { system } = await systemOf(({ systemPrompt }) => {
      systemPrompt.section({ name: 'a', order: 1, text: 'A' })
      systemPrompt.section({ name: 'none', order: 2, text: '' })
      systemPrompt.section({ name: 'blank', order: 3, text: () => ' \n' })
      systemPrompt.section({ name: 'b', order: 4, text: 'B' })
    })
    expect(system).toBe('A\n\nB')
  })

  test('with a name that is taken are an error, the built-in names included, until their disposer frees it', () => {
    const { runtime } = testRuntime([])
    const off = runtime.systemPrompt.section({ name: 'a', order: 1, text: 'A' })
    for (const name of ['a', 'harness:identity', 'deployment:persona'])
      expect(() => runtime.systemPrompt.section({ name, order: 1, text: '' })).toThrow(`a section named "${name}" already`)
    void off()
    runtime.systemPrompt.section({ name: 'a', order: 1, text: 'again' })
  })

  test('may be written for the agent that asks', async () => {
    const { system } = await systemOf(({ systemPrompt }) =>
      systemPrompt.section({ name: 'who', order: 1, text: ({ agent }) => `You are ${agent?.id}.` }),
    )
    expect(system).toBe('You are a.')
  })

  test('whose function gives no text fail the turn, with the name of the section', async () => {
    const { reason } = await systemOf(({ systemPrompt }) => systemPrompt.section({ name: 'odd', order: 1, text: () => wrong(undefined) }))
    expect(reason).toMatchObject({ kind: 'error', message: expect.stringContaining('"odd"') })
  })
})

describe('L61 variables', () => {
  test('are filled in; provider, model and cwd are the loop’s', async () => {
    const { system } = await systemOf(
      ({ systemPrompt }) => {
        systemPrompt.variable('day', () => 'Monday')
        systemPrompt.section({ name: 's', order: 1, text: '{{day}} {{ provider }}/{{model}} in {{cwd}}' })
      },
      {},
      '/home',
    )
    expect(system).toBe('Monday test/scripted in /home')
  })

  test('without a value fail that one turn, before anything is sent; a later turn that has one completes', async () => {
    let place: string | undefined
    const { agent, model, reason, runtime } = await systemOf(({ systemPrompt }) => {
      systemPrompt.variable('place', () => place)
      systemPrompt.section({ name: 's', order: 1, text: 'In {{place}}.' })
    })
    expect(reason).toMatchObject({ kind: 'error', step: 1, message: expect.stringContaining('{{place}} has no value for this assembly') })
    expect(model.requests).toEqual([])
    runtime.on('system-prompt/assemble', async (assembly, _context, next) => {
      assembly.variables.place = 'Rome'
      return next()
    })
    agent.send('again')
    await agent.whenIdle()
    expect(model.requests[0]?.system).toBe('In Rome.')
  })

  test('that nobody registered have no value, names of every object included', async () => {
    for (const name of ['unknown', 'toString', 'constructor', '__proto__', 'cwd']) {
      const { reason } = await systemOf(({ systemPrompt }) => systemPrompt.section({ name: 's', order: 1, text: `{{${name}}}` }))
      expect(reason, name).toMatchObject({ kind: 'error', message: expect.stringContaining('no value for this assembly') })
    }
  })

  test.each(['{{', 'a {{ b', '{{}}', '{{two words}}', '{ {day}}', '{{day}', '}}'])('a lone brace is literal: %s', async (literal) => {
    const { system } = await systemOf(({ systemPrompt }) => {
      systemPrompt.variable('day', () => 'Monday')
      systemPrompt.section({ name: 's', order: 1, text: literal })
    })
    expect(system).toBe(literal)
  })

  test('values are not scanned again, nor read as a pattern', async () => {
    const { system } = await systemOf(({ systemPrompt }) => {
      systemPrompt.variable('a', () => '{{b}} $& $1')
      systemPrompt.variable('b', () => 'never')
      systemPrompt.section({ name: 's', order: 1, text: 'x {{a}} y' })
    })
    expect(system).toBe('x {{b}} $& $1 y')
  })

  test('with a name that is taken are an error', () => {
    const { runtime } = testRuntime([])
    runtime.systemPrompt.variable('a', () => '1')
    expect(() => runtime.systemPrompt.variable('a', () => '2')).toThrow('a variable named "a" already')
  })
})

describe('L62 the waterfall system-prompt/assemble', () => {
  test('has the last word on sections, tools and variables', async () => {
    const { system, model } = await systemOf(({ systemPrompt, tools, on }) => {
      tools.register(echo)
      systemPrompt.section({ name: 'a', order: 1, text: 'A {{x}}' })
      systemPrompt.section({ name: 'b', order: 2, text: 'B' })
      on('system-prompt/assemble', async (_assembly, context, next) => {
        const inner = await next()
        inner.sections.reverse()
        inner.sections.push({ name: 'c', text: `C for ${context.agent?.id}` })
        inner.variables.x = '1'
        inner.tools = inner.tools.map((tool) => ({ ...tool, description: 'changed' }))
        return inner
      })
    })
    expect(system).toBe('B\n\nA 1\n\nC for a')
    expect(model.requests[0]?.tools).toMatchObject([{ name: 'echo', description: 'changed' }])
  })

  test('may return another assembly', async () => {
    const { system, model } = await systemOf(({ tools, on }) => {
      tools.register(echo)
      on('system-prompt/assemble', async () => ({ sections: [{ name: 'only', text: 'Only this.' }], tools: [], variables: {} }))
    })
    expect(system).toBe('Only this.')
    expect(model.requests[0]).not.toHaveProperty('tools')
  })

  test('gets a fresh assembly each time: what it changed is not there the next time', async () => {
    const { agent, model } = await systemOf(({ systemPrompt, tools, on }) => {
      tools.register(echo)
      systemPrompt.section({ name: 's', order: 1, text: 'S' })
      on('system-prompt/assemble', async (assembly, _context, next) => {
        assembly.sections.push({ name: 'more', text: 'more' })
        assembly.tools.length = 0
        return next()
      })
    })
    model.add(text('ok'))
    agent.send('again')
    await agent.whenIdle()
    expect(model.requests.map(({ system }) => system)).toEqual(['S\n\nmore', 'S\n\nmore'])
  })

  test('and what it keeps to change later changes no request', async () => {
    const kept: { tools: { description: string }[] }[] = []
    const { agent, model, runtime } = await systemOf(({ tools, on }) => {
      tools.register(echo)
      on('system-prompt/assemble', async (_assembly, _context, next) => {
        const inner = await next()
        const mine = { ...inner, tools: inner.tools.map((tool) => ({ ...tool })) }
        kept.push(mine)
        return mine
      })
    })
    model.add(text('ok'))
    runtime.on('agent/pre-step', () => {
      for (const { tools } of kept) tools[0]!.description = 'changed later'
    })
    agent.send('again')
    await agent.whenIdle()
    expect(model.requests.map(({ tools }) => tools?.[0]?.description)).toEqual(['Says it again.', 'Says it again.'])
  })

  test('runs for whoever asks systemPrompt.assemble', async () => {
    const { runtime } = testRuntime([], { identity: 'I' })
    expect(await runtime.systemPrompt.assemble({})).toEqual({
      sections: [
        { name: 'harness:identity', text: 'I' },
        { name: 'deployment:persona', text: '' },
      ],
      tools: [],
      variables: { provider: undefined, model: undefined, cwd: undefined },
    })
  })
})
