// Compaction as a plugin: when the model's window fills up, or has run over, a summary takes the place of the older part (L80).
import { SideloopError } from '../../../storage/log/errors.ts'
import type { SessionEvent } from '../../../storage/log/events.ts'
import type { ModelFailure } from '../../../storage/log/model-call.ts'
import type { Agent } from '../../hooks/agent.ts'
import { mountCompaction } from '../../hooks/compaction-port.ts'
import { pause } from '../../hooks/pause.ts'
import type { Plugin, Scope } from '../../loop/scope.ts'
import type { CompactionEnd } from './bracket.ts'
import { type CompactionSettings, type Compactions, createCompactions } from './compactions.ts'
import { estimateRequest } from './pressure.ts'

export type CompactionOptions = Partial<CompactionSettings>

export type Compaction = {
  readonly plugin: Plugin
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
      const unmount = mountPorts(scope, compactions)
      return () => {
        mounted = undefined
        unmount()
        compactions.stopAll()
      }
    },
    compactNow: async (agent, { signal } = {}) => required().compactNow(agent, signal),
  }
}

/** What task runs ask in the place of this plugin's own trigger (T2): each agent has a port, which goes by the window of its model. */
const mountPorts = (scope: Scope, compactions: Compactions): (() => void) => {
  const mounted = new Map<Agent, () => void>()
  const mount = (agent: Agent): void => {
    const port = {
      estimate: ({ session }: Agent) => estimateRequest(session),
      needs: (tokens: number) => compactions.isOver(agent, tokens),
      compact: async (other: Agent, { signal }: { readonly signal: AbortSignal }) =>
        (await compactions.compactHere(other, 'pressure', signal)).usage,
    }
    mounted.set(agent, mountCompaction(agent, port))
  }
  for (const agent of scope.agents.list()) mount(agent)
  scope.on('agent/created', mount)
  scope.on('agent/disposed', (agent) => {
    mounted.get(agent)?.()
    mounted.delete(agent)
  })
  return () => {
    for (const unmount of mounted.values()) unmount()
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
