// Questions and approvals: parked calls that cost nothing, survive a kill, and end with an answer, a decision or a stop.
import { expect, test } from 'vitest'
import type { Decision } from '../../../src/storage/log/events.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { SessionStore } from '../../../src/storage/session-store.ts'
import { approvals } from '../../../src/worker/plugins/people/approvals.ts'
import { questions } from '../../../src/worker/plugins/people/questions.ts'
import { persistence } from '../../../src/worker/plugins/persistence/persistence.ts'
import { askUser } from '../../../src/worker/tools/ask-user.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { type Reply, reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf, eventWhere, type TestRuntime, testRuntime, typesOf } from '../../kit/test-runtime.ts'

const options = { provider: 'test', model: 'scripted' }
const ASK = toolCall('ask_user', { questions: [{ text: 'Which day?', options: [{ label: 'Monday' }, { label: 'Friday' }] }] }, 'c1')
const FRIDAY = [{ id: 'q1', chosen: ['Friday'] }]

const withPeople = (replies: readonly Reply[], store?: SessionStore): TestRuntime & { readonly ran: string[] } => {
  const made = testRuntime(replies)
  const ran: string[] = []
  if (store !== undefined) made.runtime.use(persistence(store).plugin)
  made.runtime.use(questions, { tool: askUser })
  for (const name of ['safe', 'risky']) {
    made.runtime.tools.register(
      defineTool({ name, description: name, parameters: {}, execute: () => `${name} ran, ${ran.push(name)} in all` }),
    )
  }
  return { ...made, ran }
}

const asking = (made: TestRuntime, config: Partial<Parameters<typeof approvals>[1]> = {}): void => {
  made.runtime.use(approvals, { asks: ({ name }) => name === 'risky', ...config })
}

const firstAsked = (made: TestRuntime, agent: ReturnType<TestRuntime['start']>, type: 'question/asked' | 'approval/asked') =>
  eventWhere(made.runtime, agent, (event) => event.type === type)

test('C7 L16 a question parks its call; the answer completes it and the turn goes on', async () => {
  const made = withPeople([ASK, text('Friday it is.')])
  const agent = made.start()
  agent.send('plan')
  await firstAsked(made, agent, 'question/asked')
  expect(agent.status).toBe('running')
  expect(made.model.requests.length, 'nothing is paid while it waits').toBe(1)
  agent.session.append('question/answered', { callId: 'c1', answers: FRIDAY })
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'tool/result')).toMatchObject([
    { content: [{ type: 'text', text: 'Which day?\n→ Friday' }], isError: false },
  ])
  expect(dataOf(agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'completed' } }])
})

test('golden 7, L16 S8 a question, the tab killed, the answer after reopening: nothing is appended by the repair', async () => {
  const { sessions: store } = openMemoryStorage()
  const first = withPeople([reply(ASK, toolCall('safe', {}, 'c2'))], store)
  const { agent: killed } = await first.runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  killed.send('plan')
  await firstAsked(first, killed, 'question/asked')
  await first.runtime.sessions.flush(killed.session)
  const before = await store.read('s', { after: -1 })

  const second = withPeople([text('Friday it is.')], store)
  const { agent } = await second.runtime.agents.resume({ agentId: 'a', resumeSessionId: 's', agentOptions: options })
  expect([...agent.session.events]).toEqual(before)
  agent.session.append('question/answered', { callId: 'c1', answers: FRIDAY })
  await agent.whenIdle()
  expect(typesOf(agent.session.events.slice(before.length))).toEqual([
    ...['question/answered', 'tool/result', 'tool/call', 'tool/result', 'step/end'],
    ...['step/start', 'request/header', 'assistant/chunk', 'assistant/message', 'step/end', 'turn/end'],
  ])
  expect(
    dataOf(agent.session.events, 'tool/call').map(({ callId }) => callId),
    'no call is recorded twice',
  ).toEqual(['c1', 'c2'])
  expect(second.ran).toEqual(['safe'])
  expect(dataOf(agent.session.events, 'request/header').map(({ reason }) => reason)).toEqual(['initial', 'resume'])
  expect(await store.read('s', { after: -1 })).toEqual([...agent.session.events])
})

test('L16 L20 a stop ends the wait and leaves nothing pending, before and after reopening', async () => {
  const { sessions: store } = openMemoryStorage()
  const first = withPeople([reply(ASK, toolCall('safe', {}, 'c2'))], store)
  const { agent: killed } = await first.runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  killed.send('plan')
  await firstAsked(first, killed, 'question/asked')
  await first.runtime.sessions.flush(killed.session)

  const second = withPeople([text('Another day.')], store)
  const begun = new Promise<void>((resolve) => {
    second.runtime.on('tools/execute', (_, next) => {
      resolve()
      return next()
    })
  })
  const { agent } = await second.runtime.agents.resume({ agentId: 'a', resumeSessionId: 's', agentOptions: options })
  await begun
  agent.cancel('changed my mind')
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'question/answered')).toEqual([{ callId: 'c1', answers: null }])
  expect(dataOf(agent.session.events, 'tool/result').map(({ error }) => error?.code)).toEqual(['ABORTED', 'ABORTED_BEFORE_DISPATCH'])
  expect(dataOf(agent.session.events, 'turn/end').at(-1)?.reason).toEqual({ kind: 'aborted', reason: 'changed my mind' })
  expect(second.ran).toEqual([])
  agent.send('again', { id: 'm-again' })
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'turn/start').map(({ turn }) => turn)).toEqual([1, 2])
})

test('C7 a dismissed question is told to the model as such, and is no error', async () => {
  const made = withPeople([ASK, text('As you like.')])
  const agent = made.start()
  agent.send('plan')
  await firstAsked(made, agent, 'question/asked')
  agent.session.append('question/answered', { callId: 'c1', answers: null })
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'tool/result')).toMatchObject([
    { isError: false, content: [{ text: expect.stringContaining('dismissed') }] },
  ])
})

const decide = async (decision: Decision, calls: readonly Reply[] = [toolCall('risky', {}, 'c1'), text('ok')]) => {
  const made = withPeople(calls)
  asking(made)
  const agent = made.start()
  agent.send('go')
  await firstAsked(made, agent, 'approval/asked')
  expect(made.ran, 'nothing runs before the decision').toEqual([])
  agent.session.append('approval/decided', { callId: 'c1', decision })
  return { made, agent }
}

test('C11 an allowed call runs, a denied one does not and says why; calls that nobody asks about just run', async () => {
  const allowed = await decide({ kind: 'allow', reach: 'once' })
  await allowed.agent.whenIdle()
  expect(allowed.made.ran).toEqual(['risky'])

  const denied = await decide({ kind: 'deny', reach: 'once', note: 'not on a Sunday' })
  await denied.agent.whenIdle()
  expect(denied.made.ran).toEqual([])
  expect(dataOf(denied.agent.session.events, 'tool/result')).toMatchObject([
    { isError: true, error: { code: 'DENIED' }, content: [{ text: expect.stringContaining('not on a Sunday') }] },
  ])

  const safe = withPeople([toolCall('safe', {}, 'c1'), text('ok')])
  asking(safe)
  const agent = safe.start()
  agent.send('go')
  await agent.whenIdle()
  expect(safe.ran).toEqual(['safe'])
})

test('C11 once is for one call; for the session is for all that follow in it', async () => {
  const twice = [toolCall('risky', {}, 'c1'), toolCall('risky', {}, 'c2'), text('ok')]
  const once = await decide({ kind: 'allow', reach: 'once' }, twice)
  await eventWhere(once.made.runtime, once.agent, (event) => event.type === 'approval/asked' && event.data.callId === 'c2')
  once.agent.session.append('approval/decided', { callId: 'c2', decision: { kind: 'deny', reach: 'once' } })
  await once.agent.whenIdle()
  expect(once.made.ran).toEqual(['risky'])

  const session = await decide({ kind: 'allow', reach: 'session' }, twice)
  await session.agent.whenIdle()
  expect(session.made.ran).toEqual(['risky', 'risky'])
  expect(dataOf(session.agent.session.events, 'approval/asked').length).toBe(1)
})

test('C11 always is kept beyond the session', async () => {
  const kept = new Set<string>()
  const grants = { has: async (tool: string) => kept.has(tool), add: async (tool: string) => void kept.add(tool) }
  const made = withPeople([toolCall('risky', {}, 'c1'), text('ok'), toolCall('risky', {}, 'd1'), text('ok')])
  asking(made, { grants })
  const agent = made.start()
  agent.send('go')
  await firstAsked(made, agent, 'approval/asked')
  agent.session.append('approval/decided', { callId: 'c1', decision: { kind: 'allow', reach: 'always' } })
  await agent.whenIdle()
  expect([...kept]).toEqual(['risky'])
  const other = made.runtime.agents.start('b', options)
  other.send('go')
  await other.whenIdle()
  expect(dataOf(other.session.events, 'approval/asked')).toEqual([])
  expect(made.ran).toEqual(['risky', 'risky'])
})

test('C11 with nobody there the answer is no', async () => {
  const made = withPeople([toolCall('risky', {}, 'c1'), text('ok')])
  asking(made, { present: () => false })
  const agent = made.start()
  agent.send('go')
  await agent.whenIdle()
  expect(made.ran).toEqual([])
  expect(dataOf(agent.session.events, 'approval/asked')).toEqual([])
  expect(dataOf(agent.session.events, 'tool/result')).toMatchObject([{ error: { code: 'DENIED' } }])
})

test('L16 an approval that waits survives a kill, and a stop denies it', async () => {
  const { sessions: store } = openMemoryStorage()
  const first = withPeople([toolCall('risky', {}, 'c1')], store)
  asking(first)
  const { agent: killed } = await first.runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  killed.send('go')
  await firstAsked(first, killed, 'approval/asked')
  await first.runtime.sessions.flush(killed.session)

  const second = withPeople([text('done')], store)
  asking(second)
  const { agent } = await second.runtime.agents.resume({ agentId: 'a', resumeSessionId: 's', agentOptions: options })
  agent.session.append('approval/decided', { callId: 'c1', decision: { kind: 'allow', reach: 'once' } })
  await agent.whenIdle()
  expect(second.ran).toEqual(['risky'])
  expect(dataOf(agent.session.events, 'approval/asked').length, 'asked once').toBe(1)

  const third = withPeople([toolCall('risky', {}, 'c9')])
  asking(third)
  const stopped = third.start()
  stopped.send('go')
  await firstAsked(third, stopped, 'approval/asked')
  stopped.cancel()
  await stopped.whenIdle()
  expect(dataOf(stopped.session.events, 'approval/decided')).toEqual([
    { callId: 'c9', decision: { kind: 'deny', reach: 'once', note: 'stopped' } },
  ])
  expect(third.ran).toEqual([])
})
