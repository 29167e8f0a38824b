// T2: compaction in its place after a step, by a port that is given or mounted.
import { describe, expect, test } from 'vitest'
import { type CompactionPort, mountCompaction } from '../../../src/worker/hooks/compaction-port.ts'
import { gate } from '../../kit/gate.ts'
import { noUsage, reply, text, usage } from '../../kit/replies.ts'
import { dataOf, typesOf } from '../../kit/test-runtime.ts'
import { complete, notes, sh, taskSetup } from './kit.ts'

const recording = (over: Partial<CompactionPort> = {}) => {
  const asked: (string | number)[] = []
  const port: CompactionPort = {
    needs: (tokens) => {
      asked.push(tokens)
      return tokens >= 1000
    },
    compact: async (agent) => {
      asked.push(`compact after ${agent.session.events.at(-1)?.type}`)
      return undefined
    },
    ...over,
  }
  return { port, asked }
}

describe('T2 compaction', () => {
  test('T2 comes after the results are logged and before signals and gate, so on a completing turn too', async () => {
    const { port, asked } = recording()
    const { run, agent } = taskSetup([reply(complete(), usage(1500, 10))])
    const result = await run('do it', {
      compaction: port,
      completionGate: async () => {
        asked.push('gate')
        return null
      },
    })
    expect(result).toMatchObject({ success: true, exitReason: 'status_complete_post_tool' })
    expect(asked).toEqual([1500, 'compact after step/end', 'gate'])
    expect(notes(agent.session.events)).toEqual(['iteration', 'compaction', 'exit_reason'])
    expect(typesOf(agent.session.events).slice(-6)).toEqual([
      ...['tool/result', 'step/end'],
      ...['task/noted', 'task/noted', 'turn/end', 'task/ended'],
    ])
  })

  test('T2 goes by the own last context size: input and both caches', async () => {
    const { port, asked } = recording()
    const { run } = taskSetup([
      reply(sh('ls'), usage(100, 7, { cacheReadTokens: 20, cacheWriteTokens: 3 })),
      reply(complete(), usage(200, 1)),
    ])
    await run('do it', { compaction: port })
    expect(asked).toEqual([123, 200])
  })

  test('T2 by the estimate of the port when the model reported none, else by the own one', async () => {
    const { port, asked } = recording({ estimate: () => 777 })
    await taskSetup([reply(complete(), noUsage())]).run('do it', { compaction: port })
    expect(asked).toEqual([777])
    const other = recording()
    await taskSetup([reply(complete(), noUsage())]).run('x'.repeat(4000), { compaction: other.port })
    expect(other.asked[0]).toBeGreaterThan(1000)
    expect(other.asked[0]).toBeLessThan(1500)
  })

  test('T2 tells what it came to, and counts what it cost', async () => {
    let size = 5000
    const { port } = recording({
      estimate: () => size,
      compact: async () => {
        size = 300
        return { inputTokens: 5000, outputTokens: 200 }
      },
    })
    const { run, progress } = taskSetup([reply(sh('ls'), usage(5000, 10)), reply(complete(), usage(300, 5))])
    const result = await run('do it', { compaction: port })
    expect(progress.find(({ name }) => name === 'compaction')?.data).toEqual({ preCompactTokens: 5000, postCompactEstimate: 300 })
    expect(result.totalUsage).toEqual({ inputTokens: 10_300, outputTokens: 215 })
  })

  test('T2 what the plugin logs itself is not counted twice', async () => {
    const { run, agent } = taskSetup([reply(complete(), usage(5000, 10))])
    const { port } = recording({
      compact: async () => {
        const used = { inputTokens: 100, outputTokens: 20 }
        agent.session.append('compaction/start', { trigger: 'pressure', tokens: 5000 })
        agent.session.append('compaction/end', { outcome: 'done', usage: used })
        return used
      },
    })
    expect((await run('do it', { compaction: port })).totalUsage).toEqual({ inputTokens: 5100, outputTokens: 30 })
  })

  test('T2 the port that a plugin mounted is asked, unless the run was given one', async () => {
    const mounted = recording()
    const given = recording()
    const { run, agent } = taskSetup([complete('c1'), complete('c2')])
    mountCompaction(agent, mounted.port)
    await run('one')
    expect(mounted.asked).toEqual([10])
    await run('two', { compaction: given.port })
    expect(mounted.asked).toEqual([10])
    expect(given.asked).toEqual([10])
  })

  test('T2 before a reminder, when the step was text: the reminder is not summarised away', async () => {
    const { port, asked } = recording()
    const { run, agent } = taskSetup([reply(text('a'), usage(2000, 1)), complete()])
    await run('do it', { compaction: port })
    expect(asked[1]).toBe('compact after step/end')
    expect(notes(agent.session.events).slice(0, 3)).toEqual(['iteration', 'compaction', 'nudge'])
  })

  test('T2 T1 it has the signal of the run, and a stop inside of it is a stop', async () => {
    const inside = gate()
    let aborted = false
    const { port } = recording({
      compact: async (_, { signal }) => {
        inside.arrive()
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
        aborted = signal.aborted
        throw signal.reason
      },
    })
    const { run, agent } = taskSetup([reply(complete(), usage(2000, 1))])
    const running = run('do it', { compaction: port })
    await inside.reached
    agent.cancel()
    expect(await running).toMatchObject({ success: false, exitReason: 'stopped' })
    expect(aborted).toBe(true)
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason.kind).toBe('aborted')
  })

  test.each(['needs', 'compact', 'estimate'] as const)('T1 one whose %s throws still yields a result', async (name) => {
    const { port } = recording({
      [name]: () => {
        throw new Error('no summary')
      },
    })
    const { run } = taskSetup([reply(complete(), ...(name === 'estimate' ? [noUsage()] : [usage(2000, 1)]))])
    const result = await run('do it', { compaction: port })
    expect(result).toMatchObject({ success: false, exitReason: 'execution_error' })
    expect(result.summary).toContain('no summary')
  })
})
