// T34: children of a run, each in a session of its own: in parallel, within limits, stopped with their parent, reported as they ended.
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { Agent, Session } from '../../../src/worker/hooks/agent.ts'
import type { LlmRequest } from '../../../src/worker/hooks/llm.ts'
import { type ChildrenOptions, taskChildren } from '../../../src/worker/plugins/task/children.ts'
import type { TaskOptions } from '../../../src/worker/plugins/task/task-options.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { type Gate, gate } from '../../kit/gate.ts'
import { hang, hold, type Reply, type ReplyValue, reply, text, toolCall, usage } from '../../kit/replies.ts'
import { dataOf } from '../../kit/test-runtime.ts'
import { complete, results, sh, taskSetup, wordsIn } from './kit.ts'

const delegate = (kind: string, prompt: string, id?: string) => toolCall('delegate', { kind, prompt }, id)

const promptOf = ({ messages }: LlmRequest): string => wordsIn(messages[0]?.content ?? [])

/** Answers by who asks: the parent in its order, each child by its prompt. */
const family = (parent: readonly ReplyValue[], children: (prompt: string, request: LlmRequest) => ReplyValue): readonly Reply[] => {
  const script = [...parent]
  return Array.from(
    { length: 60 },
    (): Reply => (request) => {
      const prompt = promptOf(request)
      return prompt === 'do it' ? (script.shift() ?? text('the script is over')) : children(prompt, request)
    },
  )
}

const withChildren = (replies: readonly Reply[], options?: ChildrenOptions) => {
  const setup = taskSetup(replies)
  setup.runtime.use(taskChildren, options)
  const sessions: Session[] = []
  const born: Agent[] = []
  setup.runtime.on('session/created', (session) => void sessions.push(session))
  setup.runtime.on('agent/created', (agent) => void born.push(agent))
  return { ...setup, sessions, born }
}

const run = (setup: ReturnType<typeof withChildren>, options: TaskOptions = {}) => setup.run('do it', options)

describe('T34 a child', () => {
  test('T34 has a fresh session that names its parent, and its report is the result of the call', async () => {
    const setup = withChildren(family([delegate('explore', 'look around', 'c1'), complete()], () => text('Three files.')))
    expect(await run(setup)).toMatchObject({ success: true })
    const [answer] = results(setup.agent.session.events)
    expect(wordsIn(answer!.data.content)).toBe('Three files.')
    const [child] = setup.sessions
    expect(child?.header).toMatchObject({ parentSession: setup.agent.session.id, depth: 1 })
    expect(child?.header).not.toHaveProperty('seedLength')
    expect(dataOf(child!.events, 'task/started')[0]).toMatchObject({ kind: 'explore', prompt: [{ text: 'look around' }] })
    expect(dataOf(child!.events, 'task/ended')[0]?.result).toMatchObject({ exitReason: 'agent_type_exit' })
    expect(answer?.data.meta).toMatchObject({ session: child?.id, kind: 'explore', exitReason: 'agent_type_exit' })
    expect(problemsOf(child!.events)).toEqual([])
  })

  test('T34 streams into its own log only, and is gone from memory afterwards', async () => {
    const setup = withChildren(family([delegate('explore', 'look', 'c1'), complete()], () => text('SECRET STREAM')))
    await run(setup)
    const chunks = dataOf(setup.agent.session.events, 'assistant/chunk')
    expect(JSON.stringify(chunks)).not.toContain('SECRET')
    expect(setup.runtime.agents.list()).toEqual([setup.agent])
    expect(setup.born[0]?.status).toBe('disposed')
  })

  test('T34 of the kind task works and reports its status', async () => {
    const setup = withChildren(family([delegate('task', 'build', 'c1'), complete()], () => complete('k1')))
    expect(await run(setup)).toMatchObject({ success: true })
    expect(wordsIn(results(setup.agent.session.events)[0]!.data.content)).toBe('all of it')
  })

  test('T34 that failed is reported as failed, with its true reason', async () => {
    const setup = withChildren(family([delegate('task', 'build', 'c1'), complete()], () => text('I am not doing anything')))
    await run(setup)
    const [answer] = results(setup.agent.session.events)
    expect(answer?.data.isError).toBe(true)
    expect(wordsIn(answer!.data.content)).toContain('did not finish (nudge_exhaustion)')
  })

  test('T34 P-d01 has its own guard against circles', async () => {
    const setup = withChildren(family([delegate('task', 'build', 'c1'), complete()], () => sh('ls')))
    await run(setup)
    expect(wordsIn(results(setup.agent.session.events)[0]!.data.content)).toContain('loop_detected')
  })

  test('T34 asked for again later is started again', async () => {
    const setup = withChildren(
      family([delegate('explore', 'look', 'c1'), sh('ls'), delegate('explore', 'look', 'c2'), complete()], () => text('report')),
    )
    await run(setup)
    expect(setup.sessions).toHaveLength(2)
  })

  test('T34 that only reads writes nothing, and a parent that only reads has no child that writes', async () => {
    const setup = withChildren(
      family([delegate('task', 'write', 'c1'), delegate('plan', 'plan it', 'c2'), text('report')], (_, { messages }) =>
        messages.length === 1 ? sh('rm a') : text('the plan'),
      ),
    )
    expect(await run(setup, { kind: 'explore' })).toMatchObject({ success: true })
    const [refused, planned] = results(setup.agent.session.events)
    expect(refused?.data.isError).toBe(true)
    expect(wordsIn(refused!.data.content)).toContain('explore or plan')
    expect(planned?.data.isError).toBe(false)
    expect(setup.commands).toEqual([])
  })

  test('T34 has the write scope of its parent', async () => {
    const setup = withChildren(
      family([delegate('task', 'write', 'c1'), complete()], (_, { messages }) => (messages.length === 1 ? sh('rm a') : complete('k2'))),
    )
    await run(setup, { writeScope: ['/out'] })
    expect(setup.commands).not.toContain('rm a')
  })

  test('T34 of no run, in plain chat, works too', async () => {
    const setup = withChildren([delegate('explore', 'look', 'c1'), text('Three files.'), text('ok')])
    setup.agent.send('chat')
    await setup.agent.whenIdle()
    expect(wordsIn(results(setup.agent.session.events)[0]!.data.content)).toBe('Three files.')
  })

  test('T34 arguments that name no kind are refused with the kinds', async () => {
    const setup = withChildren(family([delegate('dance', 'x', 'c1'), complete()], () => text('')))
    await run(setup)
    const [answer] = results(setup.agent.session.events)
    expect(answer?.data.error?.code).toBe('INVALID_ARGS')
    expect(wordsIn(answer!.data.content)).toContain('explore')
  })
})

describe('T34 several children', () => {
  const many = (count: number) => reply(...Array.from({ length: count }, (_, i) => delegate('explore', `part ${i}`, `c${i}`)))

  test('T34 run in parallel, bounded', async () => {
    const gates = Array.from({ length: 6 }, () => gate())
    let inside = 0
    let most = 0
    const setup = withChildren(
      family([many(6), complete()], (prompt) => {
        const own = gates[Number(prompt.split(' ')[1])]!
        inside++
        most = Math.max(most, inside)
        void own.opened.then(() => inside--)
        return reply(hold(own), text(`report of ${prompt}`))
      }),
      { maxParallel: 2 },
    )
    const running = run(setup)
    for (const each of gates) {
      await each.reached
      each.open()
    }
    expect(await running).toMatchObject({ success: true })
    expect(most).toBe(2)
    expect(
      results(setup.agent.session.events)
        .slice(0, 6)
        .map(({ data }) => wordsIn(data.content)),
    ).toEqual(gates.map((_, i) => `report of part ${i}`))
  })

  test('T34 that wait for children of their own do not keep those waiting', async () => {
    const setup = withChildren(
      family([many(3), complete()], (prompt, { messages }) =>
        prompt.startsWith('part') && messages.length === 1 ? delegate('explore', `deeper ${prompt}`) : text(`report of ${prompt}`),
      ),
      { maxParallel: 1 },
    )
    expect(await run(setup)).toMatchObject({ success: true })
    expect(setup.sessions.map(({ header }) => header.depth).toSorted()).toEqual([1, 1, 1, 2, 2, 2])
  })

  test('T34 are not deeper than the limit, nor more', async () => {
    const deep = withChildren(
      family([delegate('task', 'a', 'c1'), complete()], (_, { messages }) =>
        messages.length === 1 ? delegate('explore', 'b') : complete(),
      ),
      { maxDepth: 1 },
    )
    await run(deep)
    expect(deep.sessions).toHaveLength(1)
    const wide = withChildren(
      family([many(4), complete()], () => text('ok')),
      { maxChildren: 3 },
    )
    await run(wide)
    expect(results(wide.agent.session.events).map(({ data }) => data.isError)).toEqual([false, false, false, true, false])
  })

  const spending = (tokens: number) => reply(text('report'), usage(tokens, 0))

  test('T34 share the budget of their parent', async () => {
    const setup = withChildren(family([many(2), sh('ls'), complete()], () => spending(400)))
    const result = await run(setup, { budget: { tokens: 700 } })
    expect(result).toMatchObject({ success: false, exitReason: 'budget_exhausted' })
    expect(result.totalUsage.inputTokens).toBe(10 + 800)
  })

  test('T34 are ended by it themselves, when it is used up between them', async () => {
    const setup = withChildren(
      family([delegate('task', 'a', 'c1'), complete()], (_, { messages }) => reply(sh(`step ${messages.length}`), usage(300, 0))),
    )
    await run(setup, { budget: { tokens: 1000 } })
    expect(wordsIn(results(setup.agent.session.events)[0]!.data.content)).toContain('budget_exhausted')
  })

  test('T34 T30 count in the result of the run, and not in its context', async () => {
    const asked: number[] = []
    const compaction = { needs: (tokens: number) => void asked.push(tokens) === undefined && false, compact: async () => undefined }
    const setup = withChildren(family([many(2), complete()], () => spending(50_000)))
    const result = await run(setup, { compaction })
    expect(result.totalUsage.inputTokens).toBe(100_020)
    expect(asked).toEqual([10, 10])
    expect(dataOf(setup.agent.session.events, 'task/noted').filter(({ name }) => name === 'child')).toHaveLength(2)
  })
})

describe('T34 stopping', () => {
  const reachedBy = (events: () => readonly SessionEvent[]) => events().some(({ type }) => type === 'step/start')

  test('T34 children stop with their parent, and are settled when it is', async () => {
    const here: Gate = gate()
    const setup = withChildren(family([delegate('explore', 'look', 'c1')], () => reply(hold(here))))
    const running = run(setup)
    await here.reached
    setup.agent.cancel()
    expect(await running).toMatchObject({ success: false, exitReason: 'stopped' })
    const [child] = setup.sessions
    expect(reachedBy(() => child!.events)).toBe(true)
    expect(dataOf(child!.events, 'task/ended')[0]?.result).toMatchObject({ success: false, exitReason: 'stopped' })
    expect(setup.runtime.agents.list()).toEqual([setup.agent])
    expect(problemsOf(setup.agent.session.events)).toEqual([])
  })

  test('T34 those that wait for a place never start', async () => {
    const here = gate()
    const setup = withChildren(
      family([reply(delegate('explore', 'first', 'c1'), delegate('explore', 'second', 'c2'))], () => reply(hold(here), hang())),
      { maxParallel: 1 },
    )
    const running = run(setup)
    await here.reached
    setup.agent.cancel()
    await running
    expect(setup.sessions).toHaveLength(1)
    expect(problemsOf(setup.agent.session.events)).toEqual([])
  })

  test('T34 a disposed runtime leaves no child behind', async () => {
    const here = gate()
    const setup = withChildren(family([delegate('explore', 'look', 'c1')], () => reply(hold(here))))
    const running = run(setup)
    await here.reached
    await setup.runtime.dispose()
    expect(await running).toMatchObject({ exitReason: 'disposed' })
    expect(setup.born.every(({ status }) => status === 'disposed')).toBe(true)
  })
})
