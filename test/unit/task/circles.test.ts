// T20 to T22: a run that goes round in circles is told so, and ends; every call is answered, and what ran stays.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCircles, signatureOf } from '../../../src/worker/plugins/task/circles.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { rawToolCall, reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf } from '../../kit/test-runtime.ts'
import { bash, complete, results, sh, taskSetup, wordsIn } from './kit.ts'

const kinds = (signatures: readonly string[], max = 3): readonly string[] => {
  const circles = createCircles(max)
  return signatures.map((signature, reply) => {
    const round = circles.take(signature, reply)
    if (round.kind === 'warning') circles.warned()
    return round.kind === 'duplicate' && round.ends ? 'end' : round.kind
  })
}

describe('T20 the same call as the one just before', () => {
  test('T20 the fourth identical call ends the run, and none but the first ran', async () => {
    const { run, agent, commands } = taskSetup(Array.from({ length: 4 }, () => sh('ls')))
    const result = await run()
    expect(result).toMatchObject({ success: false, exitReason: 'loop_detected', toolCount: 4, turnCount: 4 })
    expect(result.summary).toContain('loop')
    expect(commands).toEqual(['ls'])
    const answers = results(agent.session.events)
    expect(answers.map(({ data }) => data.error?.code)).toEqual([undefined, 'DUPLICATE', 'DUPLICATE', 'DUPLICATE'])
    expect(answers.map(({ data }) => data.isError)).toEqual([false, true, true, true])
    expect(wordsIn(answers[2]!.data.content)).toContain('repeat 2 of 3')
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T20 P-d01 a model that always reads the same file is stopped', async () => {
    const read = defineTool({
      name: 'read',
      description: 'Reads.',
      parameters: { path: { type: 'string', required: true } },
      execute: () => 'text',
    })
    const { run, model } = taskSetup(
      Array.from({ length: 20 }, () => toolCall('read', { path: 'a' })),
      { tools: [read] },
    )
    expect(await run()).toMatchObject({ exitReason: 'loop_detected' })
    expect(model.requests).toHaveLength(4)
  })

  test('T20 maxDuplicateToolCalls says how many', async () => {
    const { run } = taskSetup([sh('ls'), sh('ls')])
    expect(await run('do it', { maxDuplicateToolCalls: 1 })).toMatchObject({ exitReason: 'loop_detected', toolCount: 2 })
  })

  test('T20 in one reply it counts too', async () => {
    const { run, commands } = taskSetup([reply(...[1, 2, 3, 4].map((n) => sh('ls', `c${n}`)))])
    expect(await run()).toMatchObject({ exitReason: 'loop_detected', turnCount: 1 })
    expect(commands).toEqual(['ls'])
  })

  test('T20 another call in between begins the count anew', async () => {
    const { run } = taskSetup([sh('a'), sh('a'), sh('b'), sh('a'), sh('a'), complete()])
    expect(await run('do it', { maxDuplicateToolCalls: 2 })).toMatchObject({ success: true })
  })

  test('T20 text in between does not', async () => {
    const { run } = taskSetup([sh('a'), text('hm'), sh('a')])
    expect(await run('do it', { maxDuplicateToolCalls: 1 })).toMatchObject({ exitReason: 'loop_detected' })
  })

  test('T20 nobody is asked for permission to make a call that is not made', async () => {
    const { run, runtime } = taskSetup([sh('a'), sh('a'), complete()])
    const asked: string[] = []
    runtime.on('tools/pre-execute', async (execution, next) => {
      asked.push(JSON.stringify(execution.arguments))
      return next()
    })
    await run()
    expect(asked.filter((args) => args.includes('"a"'))).toHaveLength(1)
  })

  test('T20 the signature is tool and command text for shells, tool and canonical arguments else', () => {
    const same = (a: string, b: string, name = 'tool') => signatureOf({ name, arguments: a }) === signatureOf({ name, arguments: b })
    expect(same('{"a":1,"b":{"c":2,"d":3}}', '{ "b": {"d":3,"c":2}, "a": 1 }')).toBe(true)
    expect(same('{"a":[1,2]}', '{"a":[2,1]}')).toBe(false)
    expect(same('', '{}')).toBe(true)
    expect(same('{"command":"ls ","timeout":1}', '{"command":"ls","timeout":2}', 'bash')).toBe(true)
    expect(same('{"command":"ls","timeout":1}', '{"command":"ls","timeout":2}')).toBe(false)
    expect(same('not json', ' not json ')).toBe(true)
    expect(signatureOf({ name: 'a', arguments: '{}' })).not.toBe(signatureOf({ name: 'b', arguments: '{}' }))
  })

  test('T20 a call whose arguments cannot be read is answered as such, and counts', async () => {
    const { run, agent } = taskSetup([...[1, 2, 3, 4].map(() => rawToolCall('bash', 'not json'))])
    expect(await run()).toMatchObject({ exitReason: 'loop_detected' })
    expect(results(agent.session.events).map(({ data }) => data.error?.code)).toEqual(Array(4).fill('INVALID_ARGS'))
  })

  test('T20 of another agent of the same runtime, or outside of a run, nothing is counted', async () => {
    const { runtime, agent, commands } = taskSetup([sh('ls'), sh('ls'), sh('ls'), text('ok')])
    agent.send('chat')
    await agent.whenIdle()
    expect(commands).toEqual(['ls', 'ls', 'ls'])
    await runtime.dispose()
  })
})

describe('T21 a cycle of calls', () => {
  test.each([
    [2, 'xyxy'],
    [3, 'xyzxyz'],
    [4, 'wxyzwxyz'],
  ])('T21 of %i is warned about at its first sighting', (_, calls) => {
    const seen = kinds([...calls])
    expect(seen.at(-1)).toBe('warning')
    expect(seen.slice(0, -1)).toEqual(Array(calls.length - 1).fill('fresh'))
  })

  test('T21 ends when it goes on, and not when it does not', () => {
    expect(kinds([...'xyxyx'])).toEqual(['fresh', 'fresh', 'fresh', 'warning', 'cycle'])
    expect(kinds([...'xyxyz'])).toEqual(['fresh', 'fresh', 'fresh', 'warning', 'fresh'])
    expect(kinds([...'xyxyzxyxy']).filter((kind) => kind !== 'fresh')).toEqual(['warning', 'warning'])
    expect(kinds([...'abcdeabcde'])).toEqual(Array(10).fill('fresh'))
  })

  test('T21 in a run the warning is in a result, and that call has run', async () => {
    const { run, agent, commands, model } = taskSetup([...'xyxy'].map((command) => sh(command)).concat(complete()))
    expect(await run()).toMatchObject({ success: true, exitReason: 'status_complete_post_tool' })
    expect(commands.slice(0, 4)).toEqual([...'xyxy'])
    const [, , , fourth] = results(agent.session.events)
    expect(fourth?.data.isError).toBe(false)
    expect(wordsIn(fourth!.data.content)).toMatch(/^ran y\nNote: your last 4 calls went round/)
    expect(JSON.stringify(model.requests.at(-1))).toContain('went round the same 2 calls twice')
  })

  test('T21 when it goes on the run ends; the call in question is answered, and not run', async () => {
    const { run, agent, commands } = taskSetup([...'xyxyx'].map((command) => sh(command)))
    expect(await run()).toMatchObject({ success: false, exitReason: 'loop_detected', turnCount: 5 })
    expect(commands).toEqual([...'xyxy'])
    expect(results(agent.session.events).at(-1)?.data).toMatchObject({ isError: true, error: { code: 'DUPLICATE' } })
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T21 a model that had no word of it yet is not ended: in one reply a cycle only warns', async () => {
    const { run, agent } = taskSetup([reply(...[...'xyxyxy'].map((command, i) => sh(command, `c${i}`))), complete()])
    expect(await run()).toMatchObject({ success: true, toolCount: 7 })
    expect(results(agent.session.events).filter(({ data }) => wordsIn(data.content).includes('Note:'))).toHaveLength(1)
  })

  test('T21 a warning that no result could carry is no warning: the next call of the cycle carries it', async () => {
    const bad = () => rawToolCall('bash', 'not json')
    const { run, agent } = taskSetup([sh('x'), bad(), sh('x'), bad(), sh('x'), complete()])
    expect(await run()).toMatchObject({ success: true })
    expect(wordsIn(results(agent.session.events)[4]!.data.content)).toContain('went round the same 2 calls twice')
  })

  test('T21 tools that poll can opt out, of repeats too', async () => {
    const look = defineTool({ name: 'look', description: 'Is it done?', parameters: {}, polling: true, execute: () => 'not yet' })
    const { run } = taskSetup([...Array.from({ length: 8 }, () => toolCall('look')), complete()], { tools: [look, bash()] })
    expect(await run()).toMatchObject({ success: true, toolCount: 9 })
    const mixed = taskSetup([...[...'xyxyxy'].flatMap((command) => [sh(command === 'x' ? 'a' : 'b'), toolCall('look')]), complete()], {
      tools: [look, bash()],
    })
    expect(await mixed.run()).toMatchObject({ exitReason: 'loop_detected' })
  })

  test('T21 work that repeats nothing is never stopped', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 40 }), (calls) => {
        expect(kinds(calls).every((kind) => kind === 'fresh')).toBe(true)
      }),
    )
  })

  test('T21 a cycle of two to four different calls always ends, and never without a warning before', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 4 }), fc.array(fc.string(), { maxLength: 6 }), (cycle, before) => {
        const seen = kinds([...before, ...cycle, ...cycle, ...cycle, ...cycle])
        const ended = seen.indexOf('cycle')
        expect(ended).toBeGreaterThan(0)
        expect(seen.indexOf('warning')).toBeLessThan(ended)
      }),
    )
  })
})

describe('T22 calls that ran', () => {
  test('T22 are committed to history before the run ends', async () => {
    const { run, agent, commands } = taskSetup([sh('a'), sh('a'), sh('a'), reply(sh('a', 'c1'), sh('b', 'c2'))])
    expect(await run()).toMatchObject({ exitReason: 'loop_detected' })
    expect(commands).toEqual(['a', 'b'])
    const { events } = agent.session
    const lastResult = events.findLastIndex(({ type }) => type === 'tool/result')
    expect(wordsIn(results(events).at(-1)!.data.content)).toBe('ran b')
    expect(events.findIndex((event) => event.type === 'task/noted' && event.data.name === 'exit_reason')).toBeGreaterThan(lastResult)
    expect(dataOf(events, 'step/end')).toHaveLength(4)
  })
})
