// An injection in the moment between a reply and its calls must not part them from their results.
import { expect, test } from 'vitest'
import { problemsOf } from '../../kit/check-log.ts'
import { text, toolCall } from '../../kit/replies.ts'
import { testRuntime } from '../../kit/test-runtime.ts'
import { echo } from './samples.ts'

test('L12 what is injected in any microtask behind a reply with calls stands behind their results', async () => {
  for (let hops = 0; hops < 20; hops++) {
    const { runtime, start } = testRuntime([toolCall('echo', { text: 'x' }, 'c1'), text('ok')])
    runtime.tools.register(echo)
    const agent = start()
    const inject = async (): Promise<void> => {
      for (let hop = 0; hop < hops; hop++) await Promise.resolve()
      agent.inject('by the way', { source: { kind: 'plugin', plugin: 'p' } })
    }
    let injected = false
    runtime.on('session/event', (_, { type }) => {
      if (type !== 'assistant/message' || injected) return
      injected = true
      queueMicrotask(() => void inject())
    })
    agent.send('go')
    await agent.whenIdle()
    expect(problemsOf(agent.session.events)).toEqual([])
    expect(JSON.stringify(agent.session.deriveMessages())).toContain('by the way')
  }
})
