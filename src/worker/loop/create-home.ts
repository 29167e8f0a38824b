// What a runtime shows of itself to whoever has only one of its agents.
import type { AgentHome } from '../hooks/agent-home.ts'
import { nearestName } from '../tools/nearest-name.ts'
import type { RuntimeParts } from './create-scope.ts'
import type { Scope } from './scope.ts'

export const createHome = (
  { bus, llm, tools, newId, report }: RuntimeParts,
  { agents }: Scope,
  readMarkup: AgentHome['readMarkup'],
): AgentHome => ({
  on: bus.on,
  newId,
  report,
  info: (provider, model) => llm.info(provider, model),
  tools: {
    schemas: () => tools.schemas(),
    traits: (name) => tools.get(name),
    nearest: (name) =>
      nearestName(
        name,
        tools.schemas().map((tool) => tool.name),
      ),
    guard: (check) => tools.guard(check),
  },
  create: (options) => agents.create(options),
  readMarkup,
})
