// Models and providers: what can be chosen, what is chosen, and the settings behind it.
import type { ReadonlySignal } from '@preact/signals'
import { computed, signal } from '@preact/signals'
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import { BUILT_IN_PROVIDER } from '../../worker/protocol/built-in-model.ts'
import { LOCAL_PROVIDER } from '../../worker/protocol/local-models.ts'
import type {
  AgentClient,
  LocalSearch,
  ModelChoice,
  ModelOffer,
  ModelProbe,
  OptionChanges,
  ProviderDraft,
  ProviderView,
} from './agent-client.ts'
import type { CurrentSession } from './current-session.ts'
import type { Notice, Notices } from './notices.ts'
import { CHOOSE_ANOTHER, PROVIDER_REMOVED, sayRemoved } from './removed-provider.ts'
import { sayFailure } from './say-failure.ts'

export type Models = {
  readonly choices: ReadonlySignal<readonly ModelChoice[]>
  readonly providers: ReadonlySignal<readonly ProviderView[]>
  /** The model of the session on the screen, or the one that a new session starts with. */
  readonly chosen: ReadonlySignal<ModelChoice | undefined>
  /** The built-in demo is chosen: rules, not a language model. */
  readonly isDemo: ReadonlySignal<boolean>
  /** It runs in this tab. */
  readonly isLocal: ReadonlySignal<boolean>
  /** Is it the browser's own? */
  readonly isBuiltIn: ReadonlySignal<boolean>
  /** Its provider is not there any more. */
  readonly isRemoved: ReadonlySignal<boolean>
  /** Reply limit, temperature and effort, of the session on the screen or of new ones. */
  readonly limits: ReadonlySignal<Limits>
  load(): Promise<void>
  /** Why no message can be answered now, and what to do; another tab may have mended it meanwhile. */
  whyNot(): Promise<string | undefined>
  /** With the model's own limits: those of another model may not fit it. */
  pick(choice: ModelChoice): Promise<void>
  /** `null`: the model's own. For the session on the screen, or without one for new sessions. */
  limit(changes: LimitChanges): Promise<void>
  /** The providers as the worker knows them now: another tab may have added some. Rejects with why they cannot be told. */
  known(): Promise<readonly ProviderView[]>
  /** Rejects with why it was not saved. Chooses the provider's first model when the demo was chosen before. */
  save(provider: ProviderDraft): Promise<void>
  /** What used it keeps its choice: only the person makes another one. */
  remove(providerId: string): Promise<void>
  /** What follows takes a while, and is stopped by its signal: the worker's answer then says so. */
  test(provider: ProviderDraft, signal: AbortSignal): Promise<ModelProbe>
  discover(provider: ProviderDraft, signal: AbortSignal): Promise<ModelOffer>
  /** Asks the usual ports of this computer. */
  findLocal(signal: AbortSignal): Promise<LocalSearch>
}

export type Limits = Pick<AgentOptions, 'maxTokens' | 'temperature' | 'effort'>
export type LimitChanges = Pick<OptionChanges, keyof Limits>

type Needs = {
  readonly client: AgentClient
  readonly current: CurrentSession
  readonly notices: Notices
  readonly newId: () => string
}

/** It runs in this tab. */
export const isLocal = ({ provider }: Pick<AgentOptions, 'provider'>): boolean => provider === LOCAL_PROVIDER

const limitsOf = ({ maxTokens, temperature, effort }: AgentOptions): Limits => ({
  ...(maxTokens === undefined ? {} : { maxTokens }),
  ...(temperature === undefined ? {} : { temperature }),
  ...(effort === undefined ? {} : { effort }),
})
/** The options with the changes; `null` takes one away. */
const changed = (options: AgentOptions, changes: LimitChanges): AgentOptions =>
  Object.fromEntries(Object.entries({ ...options, ...changes }).filter(([, value]) => value !== null))

export const createModels = ({ client, current, notices, newId }: Needs): Models => {
  const { models, sessions } = client.host
  const choices = signal<readonly ModelChoice[]>([])
  const providers = signal<readonly ProviderView[]>([])
  const preset = signal<AgentOptions>({})
  /** A session has all its options by itself; those of new ones say nothing about it. */
  const options = computed((): AgentOptions => {
    const own = current.live.value?.options
    return own?.model === undefined ? { ...preset.value, ...own } : own
  })
  const limits = computed(() => limitsOf(options.value))
  const isRemoved = computed(() => {
    const { provider } = options.value
    const known = [...choices.value.map((choice) => choice.provider), ...providers.value.map(({ id }) => id)]
    return provider !== undefined && !isLocal(options.value) && known.length > 0 && !known.includes(provider)
  })
  const chosen = computed(() => {
    const wanted = options.value
    const listed = choices.value.find((choice) => choice.provider === wanted.provider && choice.model === wanted.model)
    return listed ?? unlisted(wanted, isRemoved.value)
  })
  // The worker lists the demo first.
  const isDemo = computed(() => chosen.value !== undefined && chosen.value.provider === choices.value[0]?.provider)

  let told: Notice | undefined
  /** It stands until it is read, or done: nobody can be hurried to choose. */
  const say = (text: string): void => {
    notices.dismiss(told)
    told = { kind: 'plain', keeps: true, text }
    notices.show(told)
  }
  const load = async (): Promise<void> => {
    try {
      const [list, known, begin] = await Promise.all([models.list({}), models.providers({}), models.chosen({})])
      const gone = providers.value.filter(({ id }) => known.every((provider) => provider.id !== id))
      const begins = list.find(({ provider, model }) => provider === begin.provider && model === begin.model)
      const text = sayRemoved({ gone, session: current.live.value?.options, began: preset.value, begins })
      choices.value = list
      providers.value = known
      preset.value = begin
      if (text !== undefined) say(text)
    } catch (error) {
      notices.show({ kind: 'error', text: `The models could not be listed. ${sayFailure(error)}` })
    }
  }
  const pick = async (choice: ModelChoice): Promise<void> => {
    const picked = { provider: choice.provider, model: choice.model }
    const before = Object.keys(limits.value).map((name) => [name, null])
    const sessionId = current.id.value
    try {
      await models.choose({ options: picked })
      preset.value = picked
      notices.dismiss(told)
      if (sessionId !== undefined) await sessions.configure({ sessionId, options: { ...picked, ...Object.fromEntries(before) } })
    } catch (error) {
      notices.show({ kind: 'error', text: `The model was not changed. ${sayFailure(error)}` })
    }
  }
  const limit = async (changes: LimitChanges): Promise<void> => {
    const sessionId = current.id.value
    try {
      if (sessionId !== undefined) return await sessions.configure({ sessionId, options: changes })
      const next = changed(preset.value, changes)
      await models.choose({ options: next })
      preset.value = next
    } catch (error) {
      notices.show({ kind: 'error', text: `The limits were not changed. ${sayFailure(error)}` })
    }
  }
  /** A signal does not cross to the worker: the work gets a name there, and is stopped by it. */
  const stoppable = async <T>(signal: AbortSignal, work: (attempt: string) => Promise<T>): Promise<T> => {
    const attempt = newId()
    const stop = () => void models.stop({ attempt }).catch(() => {}) // a worker that is gone has stopped
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await work(attempt)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  return {
    choices,
    providers,
    chosen,
    isDemo,
    isLocal: computed(() => isLocal(options.value)),
    isBuiltIn: computed(() => options.value.provider === BUILT_IN_PROVIDER),
    limits,
    isRemoved,
    load,
    async whyNot() {
      if (isRemoved.value) await load()
      return isRemoved.value ? CHOOSE_ANOTHER : undefined
    },
    pick,
    limit,
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
      await models.remove({ providerId })
      await load()
    },
    test: (provider, signal) => stoppable(signal, (attempt) => models.test({ provider, attempt })),
    discover: (provider, signal) => stoppable(signal, (attempt) => models.discover({ provider, attempt })),
    findLocal: (signal) => stoppable(signal, (attempt) => models.findLocal({ attempt })),
  }
}

/** A model that a session names and that no provider offers any more is still shown by its name. */
const unlisted = ({ provider, model }: AgentOptions, isRemoved: boolean): ModelChoice | undefined => {
  if (provider === undefined || model === undefined) return undefined
  const detail = isRemoved ? PROVIDER_REMOVED : isLocal({ provider }) ? 'not in this browser' : 'not listed any more'
  return { provider, model, label: model, detail }
}
