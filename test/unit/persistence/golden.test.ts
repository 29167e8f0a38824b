// The golden logs of a killed tab: what was stored, then what the next life makes of it, against fixtures in test/sessions.
import { expect, test } from 'vitest'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { SessionStore } from '../../../src/storage/session-store.ts'
import { questions } from '../../../src/worker/plugins/people/questions.ts'
import { persistence } from '../../../src/worker/plugins/persistence/persistence.ts'
import { askUser } from '../../../src/worker/tools/ask-user.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { gate } from '../../kit/gate.ts'
import { expectGolden } from '../../kit/golden.ts'
import { type Reply, reply, text, toolCall } from '../../kit/replies.ts'
import { eventWhere, testRuntime } from '../../kit/test-runtime.ts'

const agentOptions = { provider: 'test', model: 'scripted' }

const life = (store: SessionStore, replies: readonly Reply[]) => {
  const made = testRuntime(replies)
  const stuck = gate()
  made.runtime.use(persistence(store).plugin)
  made.runtime.use(questions, { tool: askUser })
  made.runtime.tools.register(
    defineTool({
      name: 'stuck',
      description: 'Never ends.',
      parameters: {},
      execute: () => {
        stuck.arrive()
        return new Promise<string>(() => {})
      },
    }),
  )
  return { ...made, stuck }
}

const begin = async (store: SessionStore, replies: readonly Reply[]) => {
  const first = life(store, replies)
  const { agent } = await first.runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions })
  agent.send('go', { id: 'message-1' })
  return { ...first, agent }
}

const reopen = async (store: SessionStore, replies: readonly Reply[] = []) => {
  const { runtime } = life(store, replies)
  return (await runtime.agents.resume({ agentId: 'a', resumeSessionId: 's', agentOptions })).agent
}

test('golden 7, L16 S8 a question, the tab killed, the answer after reopening', async () => {
  const { sessions: store } = openMemoryStorage()
  const { runtime, agent: killed } = await begin(store, [toolCall('ask_user', { questions: [{ text: 'Which day?' }] }, 'c1')])
  await eventWhere(runtime, killed, ({ type }) => type === 'question/asked')
  await runtime.sessions.flush(killed.session)
  const agent = await reopen(store, [text('Friday it is.')])
  expect(agent.session.events.at(-1)?.type, 'nothing is appended by the repair').toBe('question/asked')
  agent.session.append('question/answered', { callId: 'c1', answers: [{ id: 'q1', chosen: [], text: 'Friday' }] })
  await agent.whenIdle()
  expectGolden(agent.session, '07')
})

test('golden 8, S8 killed in the middle of a reply', async () => {
  const { sessions: store } = openMemoryStorage()
  const pause = gate()
  const { runtime, agent: killed } = await begin(store, [text('visible and more', { chunks: ['visible', pause, ' and more'] })])
  await pause.reached
  await runtime.sessions.flush(killed.session)
  expectGolden((await reopen(store)).session, '08')
})

test('golden 8, S8 killed while a tool ran, another waiting behind it', async () => {
  const { sessions: store } = openMemoryStorage()
  const { runtime, stuck, agent: killed } = await begin(store, [reply(toolCall('stuck', {}, 'c1'), toolCall('stuck', {}, 'c2'))])
  await stuck.reached
  await runtime.sessions.flush(killed.session)
  expectGolden((await reopen(store)).session, '08b')
})
