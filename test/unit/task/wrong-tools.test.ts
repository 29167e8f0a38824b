// T13 and T16: a name that is no tool's cuts the stream, is answered with the right one, and never runs; harmony tokens are cleaned.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import { cleanName, type NameCut, watchNames } from '../../../src/worker/plugins/task/watch-names.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { hold, rawChunks, reasoning, reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf } from '../../kit/test-runtime.ts'
import { bash, complete, notes, reminders, sh, signalling, taskSetup } from './kit.ts'

const declared = new Set(['read_file', 'read_files', 'bash'])

async function* stream(chunks: readonly Chunk[], onClose: () => void): AsyncGenerator<Chunk> {
  try {
    yield* chunks
  } finally {
    onClose()
  }
}

const watched = async (chunks: readonly Chunk[]) => {
  let cut: NameCut | undefined
  let closed = false
  const seen: Chunk[] = []
  const watching = watchNames(
    () => stream(chunks, () => (closed = true)),
    declared,
    (found) => {
      cut = found
    },
  )
  for await (const chunk of watching) seen.push(chunk)
  return { cut, closed, seen }
}

const delta = (name: string, index = 0): Chunk => ({ type: 'tool-call-delta', index, id: `c${index}`, name, argumentsDelta: '' })
const end = (name: string, index = 0): Chunk => ({
  type: 'block-end',
  index,
  block: { type: 'tool-call', id: `c${index}`, name, arguments: '{}' },
})
const finish: Chunk = { type: 'finish', reason: { kind: 'tool-calls' } }

describe('T13 a name that is no tool', () => {
  test.each([
    ['read_fi', 'le'],
    ['r', 'ead_file'],
    ['read_file', ''],
    ['read_file', 'read_file'],
    ['read', 'read_file'],
  ])('T13 the pieces %j and %j are safe: they are the beginning of one', async (first, second) => {
    const { cut, seen } = await watched([delta(first), delta(second), end('read_file'), finish])
    expect(cut).toBeUndefined()
    expect(seen).toHaveLength(4)
  })

  test('T13 the stream is cut as soon as it can be none, and its source is closed', async () => {
    const { cut, closed, seen } = await watched([delta('read_d'), delta('ir'), end('read_dir'), finish])
    expect(cut?.name).toBe('read_d')
    expect(closed).toBe(true)
    expect(seen).toEqual([{ type: 'finish', reason: { kind: 'invalid-tool', name: 'read_d' } }])
  })

  test('T13 a name that stays a beginning is none at its end', async () => {
    expect((await watched([delta('read'), end('read'), finish])).cut?.name).toBe('read')
  })

  test('T13 a call without a name is none at its end', async () => {
    expect((await watched([end(''), finish])).cut?.name).toBe('')
  })

  test('T13 what came whole before the cut is told apart', async () => {
    const { cut } = await watched([delta('bash'), end('bash'), delta('nope', 1)])
    expect([...(cut?.whole ?? [])]).toEqual(['c0'])
  })

  test('T13 for every declared name and every way of cutting it in pieces nothing is cut, and for every other name something is', async () => {
    const name = fc.constantFrom(...declared)
    await fc.assert(
      fc.asyncProperty(name, fc.array(fc.nat(9), { maxLength: 3 }), async (tool, cuts) => {
        const edges = [0, ...cuts.map((at) => Math.min(at, tool.length)).sort((a, b) => a - b), tool.length]
        const pieces = edges.slice(1).map((edge, i) => tool.slice(edges[i], edge))
        expect((await watched([...pieces.map((piece) => delta(piece)), end(tool), finish])).cut).toBeUndefined()
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.string(), async (other) => {
        if (!declared.has(other)) expect((await watched([delta(other), end(other), finish])).cut).toBeDefined()
      }),
    )
  })

  test('T13 in a run the reminder names the wrong tool and the right one, and nothing ran', async () => {
    const { run, agent, model, commands } = taskSetup([reply(reasoning('I list'), toolCall('bahs', { command: 'ls' })), complete()])
    expect(await run()).toMatchObject({ success: true, toolCount: 1 })
    const [words = ''] = reminders(agent.session.events)
    expect(words).toContain('"bahs"')
    expect(words).toContain('"bash"')
    expect(commands).toHaveLength(1)
    expect(dataOf(agent.session.events, 'task/noted').find(({ name }) => name === 'malformed_tool_call')?.data).toEqual({
      retry: 1,
      maxRetries: 2,
      totalFailures: 1,
      invalidToolName: 'bahs',
    })
    // Reasoning so far is kept; the call is not.
    expect(model.requests[1]?.messages[1]).toMatchObject({ role: 'assistant', content: [{ type: 'reasoning', text: 'I list' }] })
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T13 the model is not read to its end', async () => {
    const never = gate()
    const { run, model } = taskSetup([
      reply(rawChunks({ type: 'tool-call-delta', index: 0, id: 'x', name: 'nope', argumentsDelta: '' }), hold(never)),
      complete(),
    ])
    expect(await run()).toMatchObject({ success: true })
    expect(model.requests).toHaveLength(2)
  })

  test('T13 at most two in a row, then nudges', async () => {
    const { run, agent } = taskSetup(Array.from({ length: 6 }, () => toolCall('nope')))
    expect(await run()).toMatchObject({ success: false, exitReason: 'nudge_exhaustion' })
    expect(notes(agent.session.events).filter((name) => name !== 'iteration')).toEqual([
      ...['malformed_tool_call', 'malformed_tool_call', 'nudge', 'nudge', 'nudge', 'exit_reason'],
    ])
    expect(reminders(agent.session.events)[2]).toContain('status command')
  })

  test('T13 a good call in between begins the row anew, and the total goes on', async () => {
    const { run, agent } = taskSetup([toolCall('a'), toolCall('b'), sh('ls'), toolCall('c'), toolCall('d'), complete()])
    expect(await run('do it', { maxNudges: 0 })).toMatchObject({ success: true })
    const data = dataOf(agent.session.events, 'task/noted').flatMap((note) => (note.name === 'malformed_tool_call' ? [note.data] : []))
    expect(data).toMatchObject([1, 2, 1, 2].map((retry, i) => ({ retry, totalFailures: i + 1 })))
  })

  test('T13 calls that came whole before the wrong one run, and are in history before the reminder', async () => {
    const { run, agent, commands } = taskSetup([reply(sh('ls', 'c1'), toolCall('nope', {}, 'c2')), complete()])
    expect(await run()).toMatchObject({ success: true })
    expect(commands[0]).toBe('ls')
    expect(reminders(agent.session.events)).toHaveLength(1)
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T13 outside of a run L51 answers it with a result', async () => {
    const { runtime, agent } = taskSetup([toolCall('nope'), text('ok')], { tools: [signalling('real', {})] })
    agent.send('chat')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'tool/result')[0]).toMatchObject({ isError: true, error: { code: 'UNKNOWN_TOOL' } })
    await runtime.dispose()
  })

  test('T13 a model call of somebody else, in the same session, is not watched', async () => {
    const { run, runtime, agent } = taskSetup([sh('ls'), toolCall('nope'), complete()])
    const seen: Chunk[] = []
    let asked = false
    runtime.on('agent/turn-continuation', async (_agent, _turn, _byDefault, next) => {
      if (!asked) {
        asked = true
        const request = { provider: 'test', model: 'scripted', messages: [], sessionId: agent.session.id }
        for await (const chunk of runtime.llm.stream(request)) seen.push(chunk)
      }
      return next()
    })
    expect(await run()).toMatchObject({ success: true })
    expect(seen.at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'tool-calls' } })
  })
})

describe('T16 names with harmony tokens', () => {
  test.each([
    ['bash<|channel|>commentary', 'bash'],
    ['bash<|channel|>', 'bash'],
    ['<|channel|>bash', 'bash'],
    ['functions.bash<|channel|>analysis', 'bash'],
    ['ba<|x|>sh', 'bash'],
    ['bash<|chan', 'bash'],
    ['<|constrain|>json', ''],
    ['<|end|>', ''],
    ['bash', 'bash'],
    ['nope', 'nope'],
  ])('T16 %j is cleaned to %j', (name, expected) => {
    expect(cleanName(name, declared)).toBe(expected)
  })

  test('T16 in a run a cleaned call runs, under its clean name in the log', async () => {
    const { run, agent, commands } = taskSetup([toolCall('bash<|channel|>commentary', { command: 'ls' }), complete()])
    expect(await run()).toMatchObject({ success: true })
    expect(commands[0]).toBe('ls')
    expect(JSON.stringify(agent.session.events)).not.toContain('<|')
  })

  test('T16 pieces of a token are waited for', async () => {
    const { cut, seen } = await watched([delta('bash'), delta('<|chan'), delta('nel|>x'), end('bash<|channel|>x'), finish])
    expect(cut).toBeUndefined()
    expect(JSON.stringify(seen)).not.toContain('<|')
  })

  test('T16 what is left with no name is dropped, and the model told', async () => {
    const { run, agent } = taskSetup([toolCall('<|constrain|>json', { command: 'ls' }), complete()], { tools: [bash()] })
    expect(await run()).toMatchObject({ success: true, toolCount: 1 })
    expect(reminders(agent.session.events)[0]).toContain('bash')
  })
})
