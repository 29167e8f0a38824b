// Which model an agent talks to, and how much that one can read: resolved per call, for a listener may switch it.
import type { AgentOptions } from '../../../storage/log/agent-options.ts'
import type { CallConfig } from '../../../storage/log/model-call.ts'
import type { Agent } from '../../hooks/agent.ts'
import type { Scope } from '../../loop/scope.ts'
import type { Target } from './prepare.ts'

export type CurrentModels = { of(agent: Agent): Target }

/** `fallbackWindow`: in tokens, for a model that nobody knows. */
export const currentModels = (scope: Scope, fallbackWindow: number | undefined): CurrentModels => {
  const used = new WeakMap<Agent, { readonly options: AgentOptions; readonly config: CallConfig }>()
  scope.on(
    'agent/request',
    async (agent, _turn, _step, _config, next) => {
      const { options } = agent
      const config = await next()
      used.set(agent, { options, config })
      return config
    },
    { prepend: true },
  )

  return {
    of(agent) {
      const last = used.get(agent)
      // The options were changed since: what the person chose now is likelier than what was used then.
      const config = last?.options === agent.options ? last.config : { ...agent.session.requestHeader()?.config, ...agent.options }
      const { provider, model } = config
      const known = provider === undefined || model === undefined ? {} : scope.llm.info(provider, model)
      const contextWindow = known.contextWindow !== undefined && known.contextWindow > 0 ? known.contextWindow : fallbackWindow
      return { provider, model, contextWindow }
    },
  }
}
