// createRuntime: the composition of hooks, models, tools, prompt, sessions and agents. It starts bare; plugins bring the rest.
import { SideloopError } from '../storage/log/errors.ts'
import { seatAt } from './hooks/agent-home.ts'
import { createHookBus } from './hooks/hook-bus.ts'
import { createLlmRegistry } from './llm/registry.ts'
import { createAgents } from './loop/agents.ts'
import { createHome } from './loop/create-home.ts'
import { createScope } from './loop/create-scope.ts'
import { createOwner } from './loop/owner.ts'
import type { Runtime, RuntimeOptions } from './loop/scope.ts'
import { createSessions } from './loop/sessions.ts'
import { createSystemPrompt } from './prompt/system-prompt.ts'
import { createToolRegistry } from './tools/registry.ts'

const reportToConsole = (error: unknown, where: string): void => {
  console.error(`sideloop: contained in ${where}:`, error)
}

/** What is contained goes here, so nothing may leave from here: a report that fails has nobody to be told to. */
const contained =
  (report: (error: unknown, where: string) => unknown): ((error: unknown, where: string) => void) =>
  (error, where) => {
    const tell = async (): Promise<unknown> => report(error, where)
    tell().catch(() => {})
  }

/** Errors: `command/invalid` for a nonsensical option. */
export const createRuntime = (options: RuntimeOptions = {}): Runtime => {
  const { identity = '', persona = '', now = Date.now, newId = () => crypto.randomUUID(), onProgress } = options
  const report = contained(options.report ?? reportToConsole)
  const { toolOrder, maxParallelToolCalls = 10 } = options
  if (!(maxParallelToolCalls >= 1)) throw new SideloopError('command/invalid', 'maxParallelToolCalls must be at least 1')

  const bus = createHookBus(report)
  const llm = createLlmRegistry(bus)
  const tools = createToolRegistry({ bus, ...(toolOrder && { toolOrder }), ...(onProgress && { onProgress }) })
  const prompt = createSystemPrompt(bus, () => tools.schemas())
  prompt.section({ name: 'harness:identity', order: -100, text: identity })
  prompt.section({ name: 'deployment:persona', order: 0, text: persona })
  const sessions = createSessions(bus, now)
  const agents = createAgents({ bus, llm, tools, prompt, newId, report, maxParallelToolCalls }, sessions)

  const root = createOwner(report)
  const parts = { bus, llm, tools, prompt, sessions, agents, newId, report }
  const scope = createScope(parts, root)
  const home = createHome(parts, scope, async (text, known) => {
    const { readMarkup } = await import('./llm/wire/text-calls/read-markup.ts') // few models write their calls as text
    return readMarkup(text, known)
  })
  bus.on('agent/created', (agent) => seatAt(agent, home))
  for (const { id, cwd, resumeSessionId, ...agentOptions } of options.agents ?? []) {
    if (resumeSessionId === undefined) scope.agents.start(id, agentOptions, cwd === undefined ? {} : { cwd })
    else scope.agents.resume({ agentId: id, resumeSessionId, agentOptions }).catch((error) => report(error, `resume of ${id}`))
  }
  return { ...scope, dispose: () => root.dispose() }
}
