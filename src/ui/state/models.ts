// Models and providers: what can be chosen, what is chosen, and the settings behind it.
import type { ReadonlySignal } from '@preact/signals'
import { computed, signal } from '@preact/signals'
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { AgentClient, ModelChoice, ModelProbe, ProviderDraft, ProviderView } from './agent-client.ts'
import type { CurrentSession } from './current-session.ts'
import type { Notices } from './notices.ts'
import { sayFailure } from './say-failure.ts'

export type Models = {
  readonly choices: ReadonlySignal<readonly ModelChoice[]>
  readonly providers: ReadonlySignal<readonly ProviderView[]>
  /** The model of the session on the screen, or the one that a new session starts with. */
  readonly chosen: ReadonlySignal<ModelChoice | undefined>
  /** The built-in demo is chosen: rules, not a language model. */
  readonly isDemo: ReadonlySignal<boolean>
  load(): Promise<void>
  pick(choice: ModelChoice): Promise<void>
  /** The providers as the worker knows them now: another tab may have added some. Rejects with why they cannot be told. */
  known(): Promise<readonly ProviderView[]>
  /** Rejects with why it was not saved. Chooses the provider's first model when the demo was chosen before. */
  save(provider: ProviderDraft): Promise<void>
  remove(providerId: string): Promise<void>
  test(provider: ProviderDraft): Promise<ModelProbe>
  discover(provider: ProviderDraft): Promise<readonly string[]>
}

type Needs = { readonly client: AgentClient; readonly current: CurrentSession; readonly notices: Notices }

export const createModels = ({ client, current, notices }: Needs): Models => {
  const { models, sessions } = client.host
  const choices = signal<readonly ModelChoice[]>([])
  const providers = signal<readonly ProviderView[]>([])
  const preset = signal<AgentOptions>({})
  const chosen = computed(() => {
    const wanted = { ...preset.value, ...current.live.value?.options }
    return choices.value.find((choice) => choice.provider === wanted.provider && choice.model === wanted.model) ?? unlisted(wanted)
  })
  // The worker lists the demo first.
  const isDemo = computed(() => chosen.value !== undefined && chosen.value.provider === choices.value[0]?.provider)

  const load = async (): Promise<void> => {
    try {
      const [list, known, options] = await Promise.all([models.list({}), models.providers({}), models.chosen({})])
      choices.value = list
      providers.value = known
      preset.value = options
    } catch (error) {
      notices.show({ kind: 'error', text: `The models could not be listed. ${sayFailure(error)}` })
    }
  }
  const pick = async (choice: ModelChoice): Promise<void> => {
    const options = { provider: choice.provider, model: choice.model }
    const sessionId = current.id.value
    try {
      await models.choose({ options })
      preset.value = options
      if (sessionId !== undefined) await sessions.configure({ sessionId, options })
    } catch (error) {
      notices.show({ kind: 'error', text: `The model was not changed. ${sayFailure(error)}` })
    }
  }

  return {
    choices,
    providers,
    chosen,
    isDemo,
    load,
    pick,
    async known() {
      providers.value = await models.providers({})
      return providers.value
    },
    async save(provider) {
      const wasDemo = isDemo.value
      await models.save({ provider })
      await load()
      const first = choices.value.find((choice) => choice.provider === provider.id)
      if (wasDemo && first !== undefined) await pick(first)
    },
    async remove(providerId) {
      const wasChosen = chosen.value?.provider === providerId
      await models.remove({ providerId })
      await load()
      const demo = choices.value[0]
      if (wasChosen && demo !== undefined) await pick(demo)
    },
    test: (provider) => models.test({ provider }),
    discover: (provider) => models.discover({ provider }),
  }
}

/** A model that a session names and that no provider offers any more is still shown by its name. */
const unlisted = ({ provider, model }: AgentOptions): ModelChoice | undefined =>
  provider === undefined || model === undefined ? undefined : { provider, model, label: model, detail: 'not available any more' }
