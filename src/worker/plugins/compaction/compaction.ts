// Compaction as a plugin: when the model's window fills up, or has run over, a summary takes the place of the older part (L80).
import { SideloopError } from '../../../storage/log/errors.ts'
import type { SessionEvent } from '../../../storage/log/events.ts'
import type { ModelFailure, Usage } from '../../../storage/log/model-call.ts'
import type { Agent } from '../../hooks/agent.ts'
import type { Plugin, Scope } from '../../loop/scope.ts'
import type { CompactionEnd } from './bracket.ts'
import { type CompactionSettings, type Compactions, createCompactions } from './compactions.ts'
import { pause } from './pause.ts'

export type CompactionOptions = Partial<CompactionSettings>

/** What a task run asks in the place of this plugin's own trigger. */
export interface CompactionPort {
  /** Of the next request, in tokens: serves when the model reported no usage. */
  estimate(agent: Agent): number
  needs(tokens: number): boolean
  /** Never rejects. Gives what the summary cost, if anything. */
  compact(agent: Agent, options: { readonly signal: AbortSignal }): Promise<Usage | undefined>
}

export type Compaction = {
  readonly plugin: Plugin
  /** For the runs of that agent: `needs` goes by the window of the model that it uses now. */
  portFor(agent: Agent): CompactionPort
  /**
   * Asked for by a person. Idle: at once, in an injection turn of its own. Running: before the next step. Messages that come meanwhile
   * wait for it. Errors: `agent/disposed`, `command/invalid` while the plugin is not mounted.
   */
  compactNow(agent: Agent, options?: { readonly signal?: AbortSignal }): Promise<CompactionEnd>
}

export const compaction = (options: CompactionOptions = {}): Compaction => {
  const settings: CompactionSettings = { threshold: 0.8, keepShare: 0.25, keepTokens: 20_000, wait: pause, ...options }
  let mounted: Compactions | undefined

  const required = (): Compactions => {
    if (mounted === undefined) throw new SideloopError('command/invalid', 'Compaction is not mounted: pass its plugin to runtime.use first')
    return mounted
  }

  return {
    plugin(scope) {
      const compactions = createCompactions(scope, settings)
      mounted = compactions
      listen(scope, compactions)
      return () => {
        mounted = undefined
        compactions.stopAll()
      }
    },
    portFor: (agent) => ({
      estimate: (other) => required().estimate(other),
      needs: (tokens) => required().isOver(agent, tokens),
      compact: async (other, { signal }) => (await required().compactHere(other, 'pressure', signal)).usage,
    }),
    compactNow: async (agent, { signal } = {}) => required().compactNow(agent, signal),
  }
}

const listen = (scope: Scope, compactions: Compactions): void => {
  scope.on('agent/pre-step', (agent, _turn, _step, _system, _prefix, signal) => compactions.beforeStep(agent, signal))
  scope.on('agent/request-error', async (agent, turn, step, error, next) => {
    const { session } = agent
    const overflow = overflowIn(error)
    if (overflow === undefined || wasTried(session.events)) return next()
    const { outcome } = await compactions.compactHere(agent, 'overflow')
    if (outcome !== 'done') return next()
    // Said in the log, or nobody could tell from it that the request was made again.
    session.append('model/retry', { turn, step, attempt: attemptsOf(session.events), delayMs: 0, failure: overflow })
    return { kind: 'retry' }
  })
}

/** More tokens than the window, or more bytes than the server takes: a shorter conversation may help with both. */
const overflowIn = ({ failure }: { readonly failure?: ModelFailure }): ModelFailure | undefined =>
  failure?.class === 'context_overflow' || failure?.class === 'request_too_large' ? failure : undefined

/** The events since the step began. */
const ofThisStep = (events: readonly SessionEvent[]): readonly SessionEvent[] =>
  events.slice(events.findLastIndex(({ type }) => type === 'step/start') + 1)

const wasTried = (events: readonly SessionEvent[]): boolean =>
  ofThisStep(events).some((event) => event.type === 'compaction/start' && event.data.trigger === 'overflow')

/** The number of the attempt that failed. */
const attemptsOf = (events: readonly SessionEvent[]): number => 1 + ofThisStep(events).filter(({ type }) => type === 'model/retry').length
