// A whole agent in the test's own thread: scripted model, counted ids, a clock that ticks once an event. Nothing is random, nothing sleeps.
import type { AgentOptions } from '../../src/storage/log/agent-options.ts'
import type { EventType, SessionEvent, SessionEventData } from '../../src/storage/log/events.ts'
import type { Agent } from '../../src/worker/hooks/agent.ts'
import type { Runtime, RuntimeOptions } from '../../src/worker/loop/scope.ts'
import { createRuntime } from '../../src/worker/runtime.ts'
import type { Reply } from './replies.ts'
import { type ScriptedModel, scriptedModel } from './scripted-model.ts'

export type TestRuntime = {
  readonly runtime: Runtime
  readonly model: ScriptedModel
  /** What was contained: every error that went to `report`. */
  readonly reported: readonly { readonly error: unknown; readonly where: string }[]
  /** Starts an agent named `a` over the scripted model `test/scripted`. */
  start(options?: AgentOptions): Agent
}

export const counted = (prefix: string): (() => string) => {
  let count = 0
  return () => `${prefix}-${String(++count).padStart(3, '0')}`
}

export const testRuntime = (replies: readonly Reply[], options: RuntimeOptions = {}): TestRuntime => {
  const model = scriptedModel(replies)
  const reported: { error: unknown; where: string }[] = []
  let time = 1000
  const runtime = createRuntime({
    now: () => time++,
    newId: counted('id'),
    report: (error, where) => reported.push({ error, where }),
    ...options,
  })
  runtime.llm.registerAdapter(['test'], model)
  return {
    runtime,
    model,
    reported,
    start: (agentOptions) => runtime.agents.start('a', { provider: 'test', model: 'scripted', ...agentOptions }),
  }
}

/** `turn/start · user/message · …`: the order of a log at a glance, runs of chunks as one. */
export const typesOf = (events: readonly SessionEvent[]): readonly string[] =>
  events.map(({ type }) => type).filter((type, i, all) => type !== 'assistant/chunk' || all[i - 1] !== type)

export const dataOf = <T extends EventType>(events: readonly SessionEvent[], type: T): readonly SessionEventData[T][] =>
  events.flatMap((event) => (event.type === type ? [event.data as SessionEventData[T]] : []))

/** Resolves with the first event that fits, also if it is in the log already. */
export const eventWhere = (runtime: Runtime, agent: Agent, fits: (event: SessionEvent) => boolean): Promise<SessionEvent> => {
  const seen = agent.session.events.find(fits)
  if (seen !== undefined) return Promise.resolve(seen)
  return new Promise((resolve) => {
    const off = runtime.on('session/event', (session, event) => {
      if (session.id !== agent.session.id || !fits(event)) return
      off()
      resolve(event)
    })
  })
}
