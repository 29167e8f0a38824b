// Model providers as the settings dialog sees them. A key goes in and never comes back.
import type { ModelFailureClass } from '../../storage/log/model-call.ts'
import type { ListedModel, ModelInfo } from '../../storage/log/model-info.ts'

/** The protocols that a person can choose for a server. */
export const PROVIDER_APIS = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'ollama'] as const
export type ProviderApi = (typeof PROVIDER_APIS)[number]

/** `id` names the provider in `AgentOptions.provider`. `baseUrl` is the part before the path that its protocol asks. */
export type ProviderView = {
  readonly id: string
  readonly label: string
  readonly api: ProviderApi
  readonly baseUrl: string
  readonly models: readonly string[]
  /** What the server itself said of some of them. */
  readonly facts?: readonly ListedModel[]
  readonly hasKey: boolean
}

/** `key` absent: keep the one that is stored; empty: remove it. */
export type ProviderDraft = Omit<ProviderView, 'hasKey'> & { readonly key?: string }

export type ModelChoice = {
  readonly provider: string
  readonly model: string
  readonly label: string
  readonly detail?: string
  /** From the server's own list, the application or the catalogue. */
  readonly info?: ModelInfo
}

/**
 * Why something that was tried with a provider failed. Codes to route on, beside the vendors' own: `origin-refused` (the server is
 * there and does not let this page read it), `not-running`, `local-network-denied`, `blocked-by-policy`, `mixed-content`, `offline`,
 * `stopped`.
 */
export type ProviderFailure = {
  readonly ok: false
  readonly message: string
  readonly class: ModelFailureClass
  readonly code?: string
}
export type ModelProbe = { readonly ok: true; readonly message: string; readonly ms: number } | ProviderFailure
export type ModelOffer = { readonly ok: true; readonly models: readonly ListedModel[] } | ProviderFailure

/** `other`: something that lists models, and is none of the known ones. */
export const LOCAL_SERVERS = ['ollama', 'lm-studio', 'llama-cpp', 'vllm', 'other'] as const

export type LocalServer = {
  readonly kind: (typeof LOCAL_SERVERS)[number]
  readonly api: ProviderApi
  readonly baseUrl: string
  /** `refuses`: something is there, and does not let this page read it. */
  readonly state: 'answers' | 'refuses'
  readonly models: readonly string[]
}
/** `access`: what the browser says of this page's way to this computer, where it has a word on it. */
export type LocalSearch = { readonly servers: readonly LocalServer[]; readonly access: 'granted' | 'prompt' | 'denied' | 'unknown' }
