// An agent over a given log: what an earlier life left open is closed before anything new begins.
import { expect, test } from 'vitest'
import { gate } from '../../kit/gate.ts'
import { text } from '../../kit/replies.ts'
import { dataOf, testRuntime, typesOf } from '../../kit/test-runtime.ts'

test('S8 a seed that ends in the middle of a turn is closed, and the next prompt is a turn of its own', async () => {
  const pause = gate()
  const { runtime, model, start } = testRuntime([text('half of it', { chunks: ['half', pause, ' of it'] }), text('whole')])
  const first = start()
  first.send('go')
  await pause.reached
  const seed = [...first.session.events]
  const fired: string[] = []
  runtime.on('session/event', (session, { type }) => void (session.id === 'copy' && fired.push(type)))
  const { agent } = await runtime.agents.create({
    agentId: 'b',
    sessionId: 'copy',
    seed,
    agentOptions: { provider: 'test', model: 'scripted' },
  })
  expect(typesOf(agent.session.events).slice(-3)).toEqual(['assistant/message', 'step/end', 'turn/end'])
  expect(dataOf(agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'interrupted' } }])
  expect(fired, 'a seed fires no event').toEqual([])
  agent.inject('by the way')
  agent.send('again')
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'turn/start').map(({ turn }) => turn)).toEqual([1, 2, 3])
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user'])
  pause.open()
  await first.whenIdle()
})

test('a seed that cannot be read is refused with the reason', async () => {
  const { runtime } = testRuntime([])
  const seed = [{ type: 'turn/start', seq: 0, time: 1, data: { turn: 'one' } }] as never
  await expect(runtime.agents.create({ agentId: 'b', sessionId: 's', seed })).rejects.toMatchObject({ code: 'session/invalid' })
  expect(runtime.agents.list()).toEqual([])
})
