// Tries a provider's settings out: one small request, or its list of models. A failure is an answer in plain words.
import { messageOf } from '../../../storage/log/errors.ts'
import type { ModelFailure } from '../../../storage/log/model-call.ts'
import type { ListedModel } from '../../../storage/log/model-info.ts'
import type { LlmAdapter } from '../../hooks/llm.ts'
import type { ModelOffer, ModelProbe, ProviderDraft, ProviderFailure } from '../../protocol/providers.ts'
import type { Attempts } from './attempts.ts'
import type { ModelFacts } from './model-facts.ts'
import type { Providers } from './providers.ts'
import type { Surroundings } from './surroundings.ts'
import { whyUnreachable } from './why-unreachable.ts'

/** A local server may have to load its model first. */
const PROBE_MS = 60_000
const DISCOVER_MS = 20_000
const NO_MODELS = 'The server lists no models that chat. Add the name of a model, then test again.'

export type TryNeeds = {
  readonly providers: Pick<Providers, 'adapterFor'>
  readonly attempts: Attempts
  readonly facts: ModelFacts
  readonly surroundings: Surroundings
}
export type TryProvider = {
  test(draft: ProviderDraft, attempt: string | undefined): Promise<ModelProbe>
  discover(draft: ProviderDraft, attempt: string | undefined): Promise<ModelOffer>
}

const failureOf = (thrown: unknown, draft: ProviderDraft): ModelFailure => {
  if (thrown instanceof Error && 'failure' in thrown && thrown.failure) return thrown.failure as ModelFailure
  const name = thrown instanceof Error ? thrown.name : ''
  const { host } = new URL(draft.baseUrl)
  if (name === 'AbortError') return { class: 'transport', code: 'stopped', message: 'Stopped.', transient: false }
  if (name === 'TimeoutError') {
    const message = `${host} did not answer in time. A local server may still be loading its model: wait a little, then try again.`
    return { class: 'transport', code: 'timeout', message, transient: true }
  }
  return { class: 'provider', message: messageOf(thrown), transient: false }
}

const ask = async (adapter: LlmAdapter, provider: string, model: string, signal: AbortSignal): Promise<void> => {
  const request = {
    provider,
    model,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Answer with one word: ready.' }] }],
    signal,
  }
  for await (const chunk of adapter.stream(request)) {
    if (chunk.type !== 'finish') continue
    if (chunk.reason.kind === 'error')
      throw Object.assign(new Error(chunk.reason.message), chunk.reason.failure && { failure: chunk.reason.failure })
    return
  }
}

export const createTryProvider = ({ providers, attempts, facts, surroundings }: TryNeeds): TryProvider => {
  const list = async (draft: ProviderDraft, signal: AbortSignal): Promise<readonly ListedModel[]> =>
    (await providers.adapterFor(draft).models?.(draft.id, signal)) ?? []

  const explained = async (thrown: unknown, draft: ProviderDraft, attempt: string | undefined): Promise<ProviderFailure> => {
    const explain = (signal: AbortSignal) => whyUnreachable(failureOf(thrown, draft), draft.baseUrl, surroundings, signal)
    const failure = await attempts.run(attempt, DISCOVER_MS, explain).catch((again: unknown) => failureOf(again, draft))
    const { class: kind, message, code } = failure
    return { ok: false, class: kind, message, ...(code === undefined ? {} : { code }) }
  }

  const oneWord = async (draft: ProviderDraft, signal: AbortSignal): Promise<ModelProbe> => {
    const started = performance.now()
    const model = draft.models[0] ?? (await list(draft, signal))[0]?.id
    if (model === undefined) return { ok: false, class: 'provider', message: NO_MODELS }
    await ask(providers.adapterFor(draft), draft.id, model, signal)
    const ms = Math.round(performance.now() - started)
    return { ok: true, ms, message: `${model} answered in ${ms} ms.` }
  }

  return {
    test: (draft, attempt) =>
      attempts.run(attempt, PROBE_MS, (signal) => oneWord(draft, signal)).catch((thrown: unknown) => explained(thrown, draft, attempt)),
    discover: async (draft, attempt) => {
      try {
        const models = await attempts.run(attempt, DISCOVER_MS, (signal) => list(draft, signal))
        const known = models.map((model): ListedModel => {
          const info = facts({ baseUrl: draft.baseUrl, facts: [model] }, model.id)
          return { ...model, ...(info === undefined ? {} : { info }) }
        })
        return { ok: true, models: known }
      } catch (thrown) {
        return explained(thrown, draft, attempt)
      }
    },
  }
}
