// Model providers as the settings dialog sees them. A key goes in and never comes back.
import type { ModelFailureClass } from '../../storage/log/model-call.ts'

/** `id` names the provider in `AgentOptions.provider`. `baseUrl` is the part before `/chat/completions`. */
export type ProviderView = {
  readonly id: string
  readonly label: string
  readonly api: 'openai-chat'
  readonly baseUrl: string
  readonly models: readonly string[]
  readonly hasKey: boolean
}

/** `key` absent: keep the one that is stored; empty: remove it. */
export type ProviderDraft = Omit<ProviderView, 'hasKey'> & { readonly key?: string }

export type ModelChoice = { readonly provider: string; readonly model: string; readonly label: string; readonly detail?: string }

export type ModelProbe =
  | { readonly ok: true; readonly message: string; readonly ms: number }
  | { readonly ok: false; readonly message: string; readonly class: ModelFailureClass }
