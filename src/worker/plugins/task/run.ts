// What the parts of one task run share: the agent, the rules, and how far it has come. A second run begins with another one of these.
import type { CallId, ContentBlock, Json, MessageId } from '../../../storage/log/content.ts'
import { type Account, emptyAccount, type PricesOf } from '../../../storage/log/projections/account.ts'
import type { Agent } from '../../hooks/agent.ts'
import type { AgentHome } from '../../hooks/agent-home.ts'
import { type Circles, createCircles, type Round } from './circles.ts'
import { type CourseOfRun, createCourse } from './course.ts'
import type { Ledger } from './ledger.ts'
import { noFacts, type StepFacts } from './step-facts.ts'
import type { ReadTaskOptions } from './task-options.ts'
import type { Verdict } from './verdict.ts'
import type { NameCut } from './watch-names.ts'

export type Run = {
  readonly id: string
  readonly agent: Agent
  readonly home: AgentHome
  readonly options: ReadTaskOptions
  readonly prompt: readonly ContentBlock[]
  readonly ledger: Ledger
  readonly page: ReturnType<Ledger['open']>
  readonly pricesOf: PricesOf
  readonly course: CourseOfRun
  readonly circles: Circles

  /** Of the message that opens the run's turn; undefined until it was sent, if none was given. */
  promptId: MessageId | undefined
  /** The run's own turn; undefined until its prompt is in the log. */
  turn: number | undefined
  /** Of that turn: aborted by a cancel, a stop, a disposal. */
  signal: AbortSignal | undefined
  /** Why the prompt was not let in, if it was not. */
  blocked: string | undefined
  ended: boolean
  /** Time of `task/started`, epoch ms. */
  startedAt: number
  /** The run ended its turn itself, because its time was over. */
  timedOut: boolean
  /** The exit that the log tells of, if it does by now. */
  noted: Verdict | undefined
  /** Decided, and not to be changed by what comes after it. */
  verdict: Verdict | undefined

  /** Steps used up: model calls of the run's own. */
  steps: number
  /** Model responses: the `turnId` that tools see. */
  replies: number
  toolCount: number
  account: Account
  facts: StepFacts
  /** The step's calls that go round in circles. */
  readonly rounds: Map<CallId, Round>
  /** What went round, once the run is to end for it. */
  loop: string | undefined
  /** The name for which the step's reply was cut. */
  cut: NameCut | undefined
  /** The names of the tools that were sent with the step's request. */
  sent: readonly string[]
  /** The step's model has no native tools: its calls are read from its text. */
  textOnly: boolean
}

export type RunStart = Pick<Run, 'id' | 'agent' | 'home' | 'options' | 'prompt' | 'promptId' | 'ledger'>

export const createRun = (start: RunStart): Run => {
  const { agent, home, options, ledger } = start
  return {
    ...start,
    page: ledger.open(),
    pricesOf: (provider, model) => home.info(provider, model).prices,
    course: createCourse(options.kind, options.maxNudges),
    circles: createCircles(options.maxDuplicateToolCalls),
    turn: undefined,
    signal: undefined,
    blocked: undefined,
    ended: false,
    startedAt: 0,
    timedOut: false,
    noted: undefined,
    verdict: undefined,
    steps: 0,
    replies: 0,
    toolCount: 0,
    account: { ...emptyAccount, model: agent.session.requestHeader()?.config },
    facts: noFacts,
    rounds: new Map(),
    loop: undefined,
    cut: undefined,
    sent: [],
    textOnly: false,
  }
}

/** Nothing may be decided or logged any more: the turn was stopped, or is over. */
export const isStopped = (run: Run): boolean => run.ended || run.signal?.aborted === true

/** Told to the application; never thrown back into the run. */
export const tell = ({ options, home }: Run, name: string, data: Json): void => {
  try {
    options.onProgress?.(name, data)
  } catch (error) {
    home.report(error, 'onProgress of a task run')
  }
}

/** Progress is durable: it is in the log, and then it is told (T32). */
export const note = (run: Run, name: string, data: Json): void => {
  run.agent.session.append('task/noted', { run: run.id, name, data })
  tell(run, name, data)
}

/** For what an observer of the log has to say: it may not append, so it does right after. */
export const soon = (run: Run, act: () => void): void =>
  queueMicrotask(() => {
    try {
      if (!run.ended) act()
    } catch (error) {
      run.home.report(error, 'task run')
    }
  })

export const isOwnSession = (run: Run, session: { readonly id: string }): boolean => session.id === run.agent.session.id

/** Which limit of the budget is reached, in words; undefined while none is. */
export const usedUp = ({ agent, ledger, options: { budget }, startedAt }: Run): string | undefined => {
  const { ms } = budget
  const time = agent.session.events.at(-1)?.time ?? startedAt
  return ledger.usedUp ?? (ms !== undefined && time - startedAt >= ms ? timeUsedUp(ms) : undefined)
}

export const timeUsedUp = (ms: number): string => `${ms} ms have passed.`
