// One run of an agent under a schedule drawn at random: what the model answers, and what people and plugins do at which moment.
import fc from 'fast-check'
import type { MessageId, Source } from '../../../src/storage/log/content.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import type { LlmRequest } from '../../../src/worker/hooks/llm.ts'
import type { Runtime } from '../../../src/worker/loop/scope.ts'
import { fails, finish, finishError, type Part, rawToolCall, reasoning, reply, text, throws, toolCall } from '../../kit/replies.ts'
import { testRuntime } from '../../kit/test-runtime.ts'
import { echo, words } from './samples.ts'

type Act =
  | { readonly kind: 'send' | 'steer'; readonly by: 'user' | 'plugin' }
  | { readonly kind: 'inject' | 'continue' | 'cancel' | 'hold' | 'release' | 'again' | 'dispose' }
  | { readonly kind: 'edit' | 'remove' | 'move' | 'turn' | 'step'; readonly which: number }

export type Schedule = {
  readonly replies: readonly (() => Part | readonly Part[])[]
  /** `at`: how many moments pass before it is done. */
  readonly plan: readonly { readonly at: number; readonly act: Act }[]
  /** Whether a listener throws, blocks, retries, stops: one by one, until they are used up. */
  readonly moods: readonly boolean[]
}

const calls = (...names: readonly string[]): Part[] => names.map((name) => toolCall(name, { text: name }))

const REPLIES: Schedule['replies'] = [
  () => text('ok', { chunks: ['o', 'k'] }),
  () => reply(reasoning('hm'), text('so')),
  () => reply(text('I will'), ...calls('echo')),
  () => reply(...calls('beside', 'beside', 'echo', 'broken', 'nobody')),
  () => rawToolCall('echo', '{"text": "a", "text'),
  () => reply(text('cut'), toolCall('echo', { text: 'x' }), finish('max-tokens')),
  () => throws(new Error('down')),
  () => reply(text('half'), fails('overloaded')),
  () => reply(text('half'), finishError('rate_limit')),
  () => finish('stop'),
]

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('send', 'steer'), by: fc.constantFrom('user', 'plugin') }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('inject', 'continue', 'cancel', 'hold', 'release', 'again') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('edit', 'remove', 'move', 'turn', 'step'), which: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dispose') }) },
)

export const schedule: fc.Arbitrary<Schedule> = fc.record({
  replies: fc.array(fc.constantFrom(...REPLIES), { minLength: 1, maxLength: 10 }),
  plan: fc.array(fc.record({ at: fc.nat(80), act }), { maxLength: 14 }),
  moods: fc.array(
    fc.nat(5).map((n) => n === 5),
    { maxLength: 60 },
  ),
})

/** Who takes messages away, and which were taken away by nobody. */
const watchInbox = ({ inbox, session }: Agent) => {
  const takenAway: MessageId[] = []
  const lost: MessageId[] = []
  let excused = false
  let before = new Set<MessageId>()
  const inLog = (id: MessageId): boolean => session.events.some(({ data }) => 'id' in data && data.id === id)
  inbox.onChange(() => {
    const now = new Set(inbox.unlogged.map(({ id }) => id))
    for (const id of before) if (!now.has(id) && !inLog(id)) (excused ? takenAway : lost).push(id)
    before = now
  })
  return {
    takenAway,
    lost,
    excuse(mayTake: boolean): void {
      excused = mayTake
    },
  }
}

/** Does what is planned, as moments pass. What is refused, because the agent is disposed or from inside an observer, is not done. */
const createActor = (runtime: Runtime, agent: Agent, plan: Schedule['plan'], watched: ReturnType<typeof watchInbox>) => {
  const { inbox } = agent
  const given: MessageId[] = []
  let left = [...plan].sort((a, b) => a.at - b.at)
  let moments = 0

  const say = (verb: 'send' | 'steer', by: 'user' | 'plugin'): void => {
    const source: Source = by === 'user' ? { kind: 'user' } : { kind: 'plugin', plugin: 'p' }
    given.push(agent[verb](`words ${given.length}`, { id: `m${given.length}`, source }))
  }
  /** One that was taken away is no longer known: it would be new. */
  const sendAgain = (id: MessageId): void => {
    if (!watched.takenAway.includes(id)) agent.send('again', { id })
  }
  const change = (kind: Act['kind'], which: number): void => {
    const id = inbox.waiting[which]?.id
    if (id === undefined) return
    if (kind === 'edit') inbox.edit(id, words('edited'))
    if (kind === 'remove') inbox.remove(id)
    if (kind === 'move') inbox.move(id, null)
    if (kind === 'turn' || kind === 'step') inbox.retarget(id, kind)
  }
  const perform = (due: Act): void => {
    if ('by' in due) say(due.kind, due.by)
    else if ('which' in due) change(due.kind, due.which)
    else if (due.kind === 'inject') agent.inject(`context ${moments}`, { envelope: 'raw' })
    else if (due.kind === 'again') sendAgain('m0')
    else if (due.kind === 'continue') agent.continue()
    else if (due.kind === 'release') inbox.release()
    else if (due.kind === 'dispose') void runtime.agents.dispose(agent.id)
    else agent.cancel('stop', { queue: due.kind === 'hold' ? 'hold' : 'clear' })
  }
  const isRefusal = (error: unknown): boolean =>
    error instanceof Error && 'code' in error && (error.code === 'agent/disposed' || error.code === 'session/invalid')

  const tick = (): void => {
    moments++
    for (let next = left[0]; next !== undefined && next.at <= moments; next = left[0]) {
      left = left.slice(1)
      watched.excuse(next.act.kind === 'cancel' || next.act.kind === 'remove')
      try {
        perform(next.act)
      } catch (error) {
        if (!isRefusal(error)) throw error
      } finally {
        watched.excuse(false)
      }
    }
  }

  return {
    given,
    say,
    tick,
    async moment(): Promise<void> {
      tick()
      await Promise.resolve()
      tick()
    },
    /** What is left is done one moment after the other, each followed by rest. */
    async finish(): Promise<void> {
      await agent.whenIdle()
      while (left[0] !== undefined && agent.status !== 'disposed') {
        moments = Math.max(moments, left[0].at)
        tick()
        await agent.whenIdle()
      }
      if (agent.status === 'disposed') await agent.done
    },
  }
}

export type Sent = { readonly turn: number; readonly step: number; readonly attempt: number; readonly json: string }

/** Each request as it went out, with the step that the log was in. */
const recordRequests = (runtime: Runtime, agent: Agent): readonly Sent[] => {
  const sent: Sent[] = []
  runtime.on('llm/stream', (request: LlmRequest, next) => {
    const opened = agent.session.events.findLast((event) => event.type === 'step/start')
    if (opened?.type !== 'step/start') throw new Error('A request without a step')
    const { turn, step } = opened.data
    const attempt = 1 + sent.filter((each) => each.turn === turn && each.step === step).length
    sent.push({ turn, step, attempt, json: JSON.stringify(request) })
    return next()
  })
  return sent
}

export type Run = {
  readonly agent: Agent
  readonly runtime: Runtime
  readonly events: readonly SessionEvent[]
  readonly given: readonly MessageId[]
  readonly takenAway: readonly MessageId[]
  readonly lost: readonly MessageId[]
  readonly sent: readonly Sent[]
  readonly statuses: readonly string[]
  readonly reported: ReturnType<typeof testRuntime>['reported']
}

export const runSchedule = async ({ replies, plan, moods }: Schedule): Promise<Run> => {
  const { runtime, model, reported, start } = testRuntime([])
  const agent = start()
  const watched = watchInbox(agent)
  const { given, say, tick, moment, finish: comeToRest } = createActor(runtime, agent, plan, watched)
  const statuses: string[] = []
  let drawn = 0
  const mood = (): boolean => moods[drawn++] ?? false

  for (const make of [...replies, ...Array.from({ length: 200 }, () => () => text('end'))])
    model.add(async () => {
      await moment()
      return make()
    })
  runtime.tools.register(echo)
  const tool = { description: 'd', parameters: {} }
  runtime.tools.register({ ...tool, name: 'beside', isConcurrencySafe: () => true, execute: () => moment().then(() => 'beside') })
  runtime.tools.register({ ...tool, name: 'broken', execute: () => moment().then(() => Promise.reject(new Error('broken'))) })

  const sent = recordRequests(runtime, agent)
  runtime.on('session/event', (_, { type }) => {
    if (type === 'turn/end') watched.excuse(false)
    tick()
  })
  runtime.on('agent/status', (_, status) => {
    statuses.push(status)
    tick()
  })
  runtime.on('session/flush', moment)
  runtime.on('agent/pre-step', async () => {
    await moment()
    if (mood()) throw new Error('pre-step')
  })
  runtime.on('agent/prompt-submit', async (_agent, _content, _source, next) => {
    await moment()
    if (mood()) throw new Error('judge')
    return mood() ? { kind: 'block', reason: 'no' } : next()
  })
  runtime.on('agent/request', async (_agent, _turn, step, config, next) => {
    await moment()
    return mood() ? { ...config, temperature: step } : next()
  })
  runtime.on('agent/request-error', async ({ session }, turn, step, { failure }, next) => {
    await moment()
    if (!mood()) return next()
    const facts = failure ?? { class: 'provider', message: 'untyped', transient: true }
    session.append('model/retry', { turn, step, attempt: 1, delayMs: 0, failure: facts })
    await moment()
    return { kind: 'retry' }
  })
  runtime.on('llm/stream', async function* (_request, next) {
    for await (const chunk of next()) {
      await moment()
      yield chunk
    }
  })
  runtime.on('agent/turn-continuation', async (_agent, _turn, _byDefault, next) => {
    await moment()
    return next()
  })
  runtime.on('agent/turn-stop', async () => {
    await moment()
    if (!mood()) return undefined
    watched.excuse(true) // a final stop discards the steering, until `turn/end`
    return { action: 'stop' }
  })

  say('send', 'user')
  await comeToRest()
  return { ...watched, agent, runtime, events: agent.session.events, given, sent, statuses, reported }
}
