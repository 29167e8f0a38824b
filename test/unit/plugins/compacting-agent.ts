// An agent whose model has a small window, with compaction mounted. A pause is over at once.
import type { EventOf, SessionEvent } from '../../../src/storage/log/events.ts'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import { type CompactionPort, compactionOf } from '../../../src/worker/hooks/compaction-port.ts'
import type { ModelInfo } from '../../../src/worker/hooks/llm.ts'
import { type CompactionOptions, compaction } from '../../../src/worker/plugins/compaction/compaction.ts'
import { SUMMARY_SYSTEM } from '../../../src/worker/plugins/compaction/summary-texts.ts'
import { type Reply, type ReplyValue, reply, text, usage } from '../../kit/replies.ts'
import { type TestRuntime, testRuntime } from '../../kit/test-runtime.ts'

export const WINDOW = 1_000
/** Long enough that a summary of a few words is shorter. */
export const long = (name: string, words = 60): string => `${name}: ${'word '.repeat(words)}`.trim()

/** A reply to a request of so many tokens. */
export const full = (tokens: number, words = 'ok'): ReplyValue => reply(text(words), usage(tokens, 5))

export type Compacting = TestRuntime &
  ReturnType<typeof compaction> & { readonly waited: readonly number[]; readonly mount: { dispose(): Promise<void> } }

export const compacting = (
  replies: readonly Reply[],
  options: CompactionOptions = {},
  info: ModelInfo = { contextWindow: WINDOW },
): Compacting => {
  const waited: number[] = []
  const made = testRuntime(replies)
  Object.assign(made.model, { info: () => info })
  const plugin = compaction({ wait: async (ms) => void waited.push(ms), ...options })
  const mount = made.runtime.use(plugin.plugin)
  return { ...made, ...plugin, waited, mount }
}

export const summaryRequests = ({ model }: Pick<TestRuntime, 'model'>) => model.requests.filter(({ system }) => system === SUMMARY_SYSTEM)
export const otherRequests = ({ model }: Pick<TestRuntime, 'model'>) => model.requests.filter(({ system }) => system !== SUMMARY_SYSTEM)
/** All that a request says, in one text. */
export const saidIn = (request: { readonly messages: readonly unknown[] } | undefined): string => JSON.stringify(request?.messages ?? null)

export const summariesOf = (events: readonly SessionEvent[]): readonly EventOf<'context/message'>[] =>
  events.filter((event): event is EventOf<'context/message'> => event.type === 'context/message' && event.surfaceOp !== 'append')

/** What a task run of that agent asks. */
export const portOf = (agent: Agent): CompactionPort => {
  const port = compactionOf(agent)
  if (port === undefined) throw new Error('No compaction is mounted for this agent')
  return port
}

export const SUMMARY = 'The person asked for a and b; both were done.'
/** Two turns fill the window; the third turn's first step compacts. */
export const twoTurns: readonly ReplyValue[] = [full(300, long('answer a')), full(820, long('answer b'))]

/** Says one after the other, each when the agent is idle. */
export const chat = async ({ start }: Pick<TestRuntime, 'start'>, ...prompts: readonly string[]): Promise<Agent> => {
  const agent = start()
  for (const prompt of prompts) {
    agent.send(prompt)
    await agent.whenIdle()
  }
  return agent
}
