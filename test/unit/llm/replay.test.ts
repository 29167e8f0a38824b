// K3 A recorded session answers in the place of its model: two runs are identical, and what was not recorded is a loud failure.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { eventLine, headerLine } from '../../../src/storage/log/session-file.ts'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import type { LlmAdapter } from '../../../src/worker/hooks/llm.ts'
import { type Cassette, readCassette } from '../../../src/worker/llm/adapters/replay/read-cassette.ts'
import { recordedCalls } from '../../../src/worker/llm/adapters/replay/recorded-calls.ts'
import { type Replay, type ReplayOptions, replay } from '../../../src/worker/llm/adapters/replay.ts'
import { retry } from '../../../src/worker/plugins/retry/retry.ts'
import { createRuntime } from '../../../src/worker/runtime.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { gate } from '../../kit/gate.ts'
import { finishError, hang, hold, type Reply, reasoning, text, throws, toolCall, usage } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'
import { counted } from '../../kit/test-runtime.ts'

type Act = (agent: Agent) => Promise<unknown>
const run = async (model: LlmAdapter, act: Act, { identity = 'You are a test.' } = {}) => {
  let time = 1000
  const runtime = createRuntime({ identity, now: () => time++, newId: counted('id'), report: () => {} })
  runtime.use(retry({ random: () => 0, wait: async () => {} }))
  runtime.llm.registerAdapter(['test'], model)
  runtime.tools.register(
    defineTool({ name: 'read', description: 'Reads.', parameters: { path: { type: 'string' } }, execute: () => 'alpha' }),
  )
  const agent = runtime.agents.start('a', { provider: 'test', model: 'scripted' })
  await act(agent)
  await agent.whenIdle()
  const { header, events } = agent.session
  await runtime.dispose()
  return { header, events }
}
const ask =
  (...words: readonly string[]): Act =>
  async (agent) => {
    for (const each of words) {
      agent.send(each)
      await agent.whenIdle()
    }
  }
const fileOf = ({ header, events }: Awaited<ReturnType<typeof run>>) =>
  [headerLine(header, events.length), ...events.map(eventLine)].join('\n')
const played = async (cassette: Cassette, act: Act, options?: ReplayOptions, more?: { readonly identity?: string }) => {
  const model: Replay = replay([cassette], options)
  return { model, session: await run(model, act, more) }
}
const lastWords = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === 'turn/end' && event.data.reason.kind === 'error' ? [event.data.reason.message] : [])).at(-1)

const SCRIPT: readonly Reply[] = [
  [reasoning('hm', { replay: { field: 'x' } }), text('Reading.'), toolCall('read', { path: 'a' }, 'c1'), usage(7, 3)],
  text('Done.'),
  text('Again.'),
]

describe('K3 a recorded session', () => {
  test('K3 replays keyless to the same log, event by event', async () => {
    const recorded = await run(scriptedModel(SCRIPT), ask('go', 'and again'))
    const { model, session } = await played(readCassette(fileOf(recorded)), ask('go', 'and again'))
    expect(session.events).toEqual(recorded.events)
    expect(model.remaining).toBe(0)
  })

  test('K3 calls that failed fail again as they did, and are tried again as they were', async () => {
    const script = [[text('par'), finishError('overloaded', 'Overloaded')], throws(new Error('untyped')), text('never')]
    const limited = [finishError('rate_limit', 'slow down'), finishError('rate_limit', 'slow down'), text('ok')]
    for (const replies of [script, limited] as const) {
      const recorded = await run(scriptedModel(replies), ask('go'))
      const { session } = await played({ header: recorded.header, events: recorded.events }, ask('go'))
      expect(session.events.map(({ type }) => type)).toEqual(recorded.events.map(({ type }) => type))
      expect(lastWords(session.events)).toBe(lastWords(recorded.events))
    }
  })

  test('K3 a call that was stopped waits to be stopped', async () => {
    const here = gate()
    const stop: Act = async (agent) => {
      agent.send('go')
      await here.reached
      agent.cancel('stopped by hand')
    }
    const recorded = await run(scriptedModel([[text('par'), hold(here), hang()]]), stop)
    const cassette = { header: recorded.header, events: recorded.events }
    const { session } = await played(cassette, async (agent) => {
      const seen = new Promise<void>((resolve) => {
        const look = () =>
          agent.session.events.some(({ type, data }) => type === 'assistant/chunk' && data.chunk.type === 'block-end')
            ? resolve()
            : setImmediate(look)
        look()
      })
      agent.send('go')
      await seen
      agent.cancel('stopped by hand')
    })
    expect(session.events).toEqual(recorded.events)
  })

  test('K3 a request that does not match is a loud failure that names the places', async () => {
    const recorded = await run(scriptedModel(SCRIPT), ask('go'))
    const { model, session } = await played(recorded, ask('go on'))
    expect(lastWords(session.events)).toContain('messages[0].content[0].text: recorded "go", asked "go on"')
    expect(session.events.some(({ type }) => type === 'model/retry')).toBe(false)
    expect(model.remaining).toBe(2)
    const changed = await played(recorded, ask('go'), {}, { identity: 'You are another test.' })
    expect(lastWords(changed.session.events)).toContain('system: recorded')
  })

  test('K3 what may change from run to run is left out of the comparison', async () => {
    const recorded = await run(scriptedModel(SCRIPT), ask('go'))
    const compared = (request: unknown) => ({ ...(request as object), system: undefined })
    const { model } = await played(recorded, ask('go'), { compared }, { identity: 'It is Tuesday.' })
    expect(model.remaining).toBe(0)
  })

  test('K3 a request beyond the recording is a loud failure', async () => {
    const recorded = await run(scriptedModel([text('ok')]), ask('go'))
    const { session } = await played(recorded, ask('go', 'and more'))
    expect(lastWords(session.events)).toContain('1 calls were recorded, all of them were played')
  })

  test('K3 each session gets its own cassette', async () => {
    const cassettes = await Promise.all(['one', 'two'].map((words) => run(scriptedModel([text(words)]), ask(`say ${words}`))))
    const [one, two] = cassettes as readonly Cassette[] as readonly [Cassette, Cassette]
    const model = replay([
      { ...one, header: { id: 'session-one' } },
      { ...two, header: { id: 'session-two' } },
    ])
    const request = (words: string, sessionId: string) => {
      const recorded = recordedCalls((words === 'one' ? one : two).events)[0]
      return Object.defineProperty({ ...JSON.parse(recorded?.json ?? '{}') }, 'sessionId', { value: sessionId })
    }
    const textFrom = async (words: string, sessionId: string) => {
      const chunks: unknown[] = []
      for await (const chunk of model.stream(request(words, sessionId))) chunks.push(chunk)
      return JSON.stringify(chunks)
    }
    expect(await textFrom('two', 'session-two')).toContain('"two"')
    expect(await textFrom('one', 'any other')).toContain('"one"')
    await expect(textFrom('one', 'a third')).rejects.toMatchObject({ failure: { code: 'replay-exhausted', transient: false } })
  })

  test.each(['01', '02', '03', '04', '05', '06', '07', '08', '09', '11', '12'])(
    'K3 golden log %s is a cassette: every call has its request',
    (name) => {
      const cassette = readCassette(readFileSync(fileURLToPath(new URL(`../../sessions/golden-${name}.jsonl`, import.meta.url)), 'utf8'))
      const calls = recordedCalls(cassette.events)
      expect(calls.length).toBeGreaterThan(0)
      expect(calls.reduce((sum, { chunks }) => sum + chunks.length, 0)).toBe(
        cassette.events.filter(({ type }) => type === 'assistant/chunk').length,
      )
      for (const { chunks, ending } of calls) expect(chunks.at(-1)?.type === 'finish').toBe(ending === undefined)
    },
  )

  test('K3 what is no recorded session is refused with what is wrong', () => {
    for (const broken of ['', 'hello', '{}', '[]', '{"version":1,"id":"a","createdAt":0}\n{"type":"nonsense","seq":0}']) {
      expect(() => readCassette(broken)).toThrow(/session|event/i)
    }
  })
})
