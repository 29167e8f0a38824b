// Local models among the others: their commands, their adapter, what is known of them. Loaded when somebody first asks for one.
import { SideloopError } from '../../../storage/log/errors.ts'
import { lazyAdapter } from '../../llm/lazy-adapter.ts'
import type { Scope } from '../../loop/scope.ts'
import type { AgentHost } from '../../protocol/agent-host.ts'
import { LOCAL_PROVIDER } from '../../protocol/local-models.ts'
import type { ModelChoice } from '../../protocol/providers.ts'
import { lazily } from '../lazily.ts'
import type { LocalModels } from '../local-models/local-models.ts'
import type { LocalModelsNeeds } from '../local-models/mount-local-models.ts'

export type LocalGroup = {
  readonly commands: AgentHost['local']
  choices(): Promise<readonly ModelChoice[]>
  /** Fetches what works without a network, if there is a model. */
  warm(): Promise<void>
}

const noEngine = async (): Promise<never> => {
  throw new SideloopError('command/invalid', 'This application cannot run models in the tab: its worker has no engine for them.')
}
const WITHOUT: LocalGroup = {
  commands: { list: async () => [], add: noEngine, download: noEngine, stop: noEngine, remove: noEngine },
  choices: async () => [],
  warm: async () => {},
}

export const createLocalGroup = (llm: Scope['llm'], needs: LocalModelsNeeds | undefined): LocalGroup => {
  if (needs === undefined) return WITHOUT
  let known: LocalModels | undefined
  const local = lazily(async () => {
    const { mountLocalModels } = await import('../local-models/mount-local-models.ts')
    known = await mountLocalModels(needs)
    return known
  })
  const info = (model: string) => known?.info(model)
  const adapterCode = lazily(async () => {
    // What finds calls in a text is for engines that leave them there; it has to be here, too, when there is no network.
    const [{ localModel }] = await Promise.all([
      import('../../llm/adapters/local-model.ts'),
      import('../../llm/wire/text-calls/find-calls.ts'),
    ])
    return localModel
  })
  /** For what brings a model here, so that it answers without a network afterwards. */
  const withAdapter = async (): Promise<LocalModels> => (await Promise.all([local(), adapterCode()]))[0]
  const adapter = lazyAdapter(async () => {
    const [localModel, { use }] = await Promise.all([adapterCode(), local()])
    return localModel({ use, info })
  })
  llm.registerAdapter([LOCAL_PROVIDER], { ...adapter, info: (_provider, model) => info(model) })
  return {
    commands: {
      list: async () => (await local()).list({}),
      add: async (input) => (await withAdapter()).add(input),
      download: async (input) => (await withAdapter()).download(input),
      stop: async (input) => (await local()).stop(input),
      remove: async (input) => (await local()).remove(input),
    },
    choices: async () => (await local()).choices(),
    async warm() {
      const models = await local()
      if (models.choices().length > 0) await Promise.all([models.warm(), adapterCode()])
    },
  }
}
