// What runs of an earlier life left in a session that is opened again.
import { expect, test } from 'vitest'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { questions } from '../../../src/worker/plugins/people/questions.ts'
import { persistence } from '../../../src/worker/plugins/persistence/persistence.ts'
import { runTask } from '../../../src/worker/plugins/task/run-task.ts'
import { taskRuns } from '../../../src/worker/plugins/task/task-runs.ts'
import { askUser } from '../../../src/worker/tools/ask-user.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { type Reply, text, toolCall } from '../../kit/replies.ts'
import { counted, dataOf, eventWhere, testRuntime, typesOf } from '../../kit/test-runtime.ts'
import { bash, complete } from './kit.ts'

const options = { provider: 'test', model: 'scripted' }
const ASK = toolCall('ask_user', { questions: [{ text: 'Which day?', options: [{ label: 'Monday' }, { label: 'Friday' }] }] }, 'c1')

const life = (name: string, replies: readonly Reply[], store: ReturnType<typeof openMemoryStorage>['sessions']) => {
  const made = testRuntime(replies, { newId: counted(name) })
  made.runtime.use(persistence(store).plugin)
  made.runtime.use(questions, { tool: askUser })
  made.runtime.use(taskRuns)
  made.runtime.tools.register(bash())
  return made
}

const killedWhileAsking = async () => {
  const { sessions: store } = openMemoryStorage()
  const first = life('first', [ASK], store)
  const { agent } = await first.runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  void runTask(agent, 'plan')
  await eventWhere(first.runtime, agent, ({ type }) => type === 'question/asked')
  await first.runtime.sessions.flush(agent.session)
  return store
}

test('T1 L16 a run that waited for a person when its worker died ends as interrupted, with the turn that the answer brought to its end', async () => {
  const store = await killedWhileAsking()
  const second = life('second', [text('Friday it is.')], store)
  const { agent } = await second.runtime.agents.resume({ agentId: 'a', resumeSessionId: 's', agentOptions: options })
  expect(dataOf(agent.session.events, 'task/ended')).toEqual([])
  agent.session.append('question/answered', { callId: 'c1', answers: [{ id: 'q1', chosen: ['Friday'] }] })
  await agent.whenIdle()
  const { events } = agent.session
  expect(typesOf(events).slice(-2)).toEqual(['turn/end', 'task/ended'])
  expect(dataOf(events, 'task/ended')).toEqual([
    {
      run: dataOf(events, 'task/started')[0]?.run,
      result: expect.objectContaining({ success: false, exitReason: 'interrupted', toolCount: 1, turnCount: 2 }),
    },
  ])
  expect(problemsOf(events)).toEqual([])
  expect(await store.read('s', { after: -1 })).toEqual([...events])
})

test('T1 a run that is started there afterwards is one of its own', async () => {
  const store = await killedWhileAsking()
  const second = life('second', [text('Friday it is.'), complete()], store)
  const { agent } = await second.runtime.agents.resume({ agentId: 'a', resumeSessionId: 's', agentOptions: options })
  const running = runTask(agent, 'and now')
  agent.session.append('question/answered', { callId: 'c1', answers: null })
  expect(await running).toMatchObject({ success: true, turnCount: 1 })
  expect(dataOf(agent.session.events, 'task/ended').map(({ result }) => result.exitReason)).toEqual([
    'interrupted',
    'status_complete_post_tool',
  ])
})

test('T1 a prompt whose id is in use already does not hang its run', async () => {
  const made = testRuntime([complete()], { newId: () => 'always-the-same' })
  made.runtime.tools.register(bash())
  const agent = made.start()
  agent.send('chat')
  await agent.whenIdle()
  expect(await runTask(agent, 'do it')).toMatchObject({ success: false, exitReason: 'execution_error' })
})
