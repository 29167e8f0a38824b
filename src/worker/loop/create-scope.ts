// A scope over the runtime's parts: the same doors for everybody, each with an owner that undoes what went through them.
import { SideloopError } from '../../storage/log/errors.ts'
import type { Session } from '../hooks/agent.ts'
import type { HookBus } from '../hooks/hook-bus.ts'
import type { LlmRegistry } from '../llm/registry.ts'
import type { SystemPrompt } from '../prompt/system-prompt.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import type { OwnedAgent } from './agent.ts'
import type { Agents } from './agents.ts'
import { closedSeed } from './closed-seed.ts'
import { createOwner, type Owner } from './owner.ts'
import type { AgentHandle, Plugin, Scope } from './scope.ts'
import type { OpenSession, Sessions } from './sessions.ts'

export type RuntimeParts = {
  readonly bus: HookBus
  readonly llm: LlmRegistry
  readonly tools: ToolRegistry
  readonly prompt: SystemPrompt
  readonly sessions: Sessions
  readonly agents: Agents
  readonly newId: () => string
  readonly report: (error: unknown, where: string) => void
}

export const createScope = (parts: RuntimeParts, owner: Owner): Scope => {
  const { bus, llm, tools, prompt, sessions, agents, newId, report } = parts
  const { own } = owner

  const ownSession = ({ session }: OpenSession): Session => {
    own(() => sessions.close(session.id))
    return session
  }
  const ownAgent = ({ agent, end, dispose }: OwnedAgent): AgentHandle => {
    const undo = own(dispose, end)
    void agent.done.then(undo) // however it ended, nothing here keeps it in memory
    return { agent, dispose: async () => undo() }
  }
  const requireAlive = (): void => {
    if (owner.disposed) throw new SideloopError('agent/disposed', 'This scope is disposed: nothing can be registered or started in it')
  }

  const use = <C>(plugin: Plugin<C>, config?: C): ReturnType<Scope['use']> => {
    requireAlive()
    const inner = createOwner(report)
    const run = async (): Promise<void> => {
      try {
        const dispose = await plugin(createScope(parts, inner), config as C)
        if (dispose && inner.disposed) await dispose()
        else if (dispose) inner.own(dispose)
      } catch (error) {
        await inner.dispose()
        throw error
      }
    }
    const ready = run()
    const settled = ready.catch((error) => report(error, 'plugin'))
    const undoPlugin = async (): Promise<void> => {
      await inner.dispose()
      await settled // it may still be setting up; what it registers from now on is refused
    }
    const undo = own(undoPlugin, inner.end)
    return { ready, dispose: async () => undo() }
  }

  return {
    llm: {
      registerAdapter: (providers, adapter) => own(llm.registerAdapter(providers, adapter)),
      stream: (request) => llm.stream(request),
      providers: () => llm.providers(),
      info: (provider, model) => llm.info(provider, model),
    },
    tools: {
      register: (tool) => own(tools.register(tool)),
      get: (name) => tools.get(name),
      schemas: () => tools.schemas(),
      guard: (check) => own(tools.guard(check)),
      execute: (input) => tools.execute(input),
    },
    systemPrompt: {
      section: (section) => own(prompt.section(section)),
      variable: (name, value) => own(prompt.variable(name, value)),
      assemble: (context) => prompt.assemble(context),
    },
    sessions: {
      create(id = newId(), options) {
        requireAlive()
        return ownSession(sessions.open(id, options))
      },
      get: (id) => sessions.get(id)?.session,
      list: () => sessions.list(),
      flush: (session) => bus.parallel('session/flush', session),
      fork(session, beforeSeq, id = newId()) {
        requireAlive()
        return ownSession(sessions.fork(session, beforeSeq, id))
      },
      loader: (load) => own(agents.mountLoader(load)),
    },
    agents: {
      start(id, options = {}, meta = {}) {
        requireAlive()
        return ownAgent(agents.start(id, `${id}-session-${newId()}`, options, { meta })).agent
      },
      async create({ agentId, sessionId, meta, seed, agentOptions = {} }) {
        requireAlive()
        const events = seed && (await closedSeed(seed))
        requireAlive()
        return ownAgent(agents.start(agentId, sessionId, agentOptions, { ...(events && { seed: events }), ...(meta && { meta }) }))
      },
      async resume({ agentId, resumeSessionId, agentOptions = {} }) {
        requireAlive()
        const owned = await agents.resume(agentId, resumeSessionId, agentOptions)
        if (owner.disposed) await owned.dispose()
        requireAlive()
        return ownAgent(owned)
      },
      get: (id) => agents.get(id)?.agent,
      list: () => agents.list(),
      async dispose(id) {
        await agents.get(id)?.dispose()
      },
    },
    on: (event, listener, options) => own(bus.on(event, listener, options)),
    use,
  }
}
