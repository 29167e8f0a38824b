// The default plugins under a task run: who compacts, who tries again, who answers a call that repeats.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { mountDefaultPlugins } from '../../../src/worker/host/default-plugins.ts'
import { runTask } from '../../../src/worker/plugins/task/run-task.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { fails, type Reply, reply, text, usage } from '../../kit/replies.ts'
import { dataOf, testRuntime, typesOf } from '../../kit/test-runtime.ts'
import { bash, complete, sh } from '../task/kit.ts'
import { otherRequests, saidIn, summaryRequests } from './compacting-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const setup = (replies: readonly Reply[]) => {
  const made = testRuntime(replies)
  Object.assign(made.model, { info: () => ({ contextWindow: 1_000 }) })
  const ran: string[] = []
  made.runtime.tools.register(bash((command) => ran.push(command)))
  mountDefaultPlugins(made.runtime, { ...openMemoryStorage(), now: () => 1 })
  return { ...made, ran, agent: made.start() }
}

test('L80 T2 the run compacts by the port that the plugin gave its agent, once, with its cost in the result', async () => {
  const { agent, model } = setup([
    reply(sh('long a'), usage(300, 5)),
    reply(sh('long b'), usage(850, 5)),
    reply(text('It wrote a and b.'), usage(600, 20)),
    reply(complete(), usage(200, 5)),
  ])
  const result = await runTask(agent, 'write a and b')
  const { events } = agent.session
  model.assertPlayed()
  expect(result).toMatchObject({ success: true, turnCount: 3, totalUsage: { inputTokens: 1_950, outputTokens: 35 } })
  expect(dataOf(events, 'compaction/start')).toEqual([{ trigger: 'pressure', tokens: 850 }])
  expect(dataOf(events, 'compaction/end')).toMatchObject([{ outcome: 'done', usage: { inputTokens: 600, outputTokens: 20 } }])
  expect(dataOf(events, 'task/noted').filter(({ name }) => name === 'compaction')).toHaveLength(1)
  const types = typesOf(events)
  expect(types.indexOf('compaction/start')).toBeGreaterThan(types.lastIndexOf('tool/result', types.indexOf('compaction/start')))
  const last = saidIn(otherRequests({ model }).at(-1))
  expect(last).toContain('write a and b')
  expect(last).toContain('It wrote a and b.')
  expect(problemsOf(events)).toEqual([])
  expect(otherRequests({ model }).map((request) => JSON.stringify(request))).toEqual(rebuildRequests(events).map(({ json }) => json))
  expect(summaryRequests({ model })).toHaveLength(1)
})

test('T17 W10 the application is asked when the attempts are used up, and its decision brings new ones', async () => {
  const { agent, model } = setup([...Array<Reply>(6).fill(fails('overloaded', 'busy')), complete()])
  const asked: string[] = []
  const running = runTask(agent, 'do it', {
    onPausableError: async ({ message }) => {
      asked.push(message)
      return 'continue'
    },
  })
  await vi.runAllTimersAsync()
  expect(await running).toMatchObject({ success: true })
  model.assertPlayed()
  expect(asked).toEqual(['busy'])
  expect(dataOf(agent.session.events, 'model/retry').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 1])
})

test('T17 L80 an overflow is mended before anybody is asked', async () => {
  const { agent, model } = setup([sh('long a'), sh('long b'), fails('context_overflow'), text('It wrote a and b.'), complete()])
  const result = await runTask(agent, 'write a and b', { onPausableError: async () => 'stop' })
  model.assertPlayed()
  expect(result).toMatchObject({ success: true })
})

test('T20 P-d01 a call that repeats is the run’s own business', async () => {
  const { agent, ran } = setup(Array<Reply>(10).fill(sh('echo x')))
  const result = await runTask(agent, 'do it')
  expect(result).toMatchObject({ success: false, exitReason: 'loop_detected' })
  expect(ran).toEqual(['echo x'])
  const codes = dataOf(agent.session.events, 'tool/result').map(({ error }) => error?.name)
  expect(new Set(codes)).toEqual(new Set([undefined, 'DuplicateCall']))
})
