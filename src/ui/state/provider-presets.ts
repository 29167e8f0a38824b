// Known places with models: their address and protocol, where a person gets a key, and what one has to know to use them from a browser.
import type { LocalServer, ProviderApi } from './agent-client.ts'

export type ProviderPreset = {
  readonly id: string
  readonly label: string
  /** `local`: a server on this computer, which needs no key but must allow this page. */
  readonly group: 'hosted' | 'local' | 'other'
  readonly baseUrl: string
  readonly api: ProviderApi
  /** Protocols that the same place speaks too, with their address there. */
  readonly alternatives?: readonly { readonly api: ProviderApi; readonly baseUrl: string }[]
  /** A model's name to show what names look like there; not a choice. */
  readonly example: string
  readonly key?: {
    /** The page of the vendor where keys are made, by its own name. */
    readonly page: string
    readonly url: string
    /** What its keys begin with, where it keeps to that. */
    readonly begins?: string
  }
  readonly note?: string
}

/** In the words of a person who chooses. */
export const API_NAMES: { readonly [A in ProviderApi]: string } = {
  'openai-responses': 'OpenAI Responses',
  'openai-chat': 'OpenAI Chat Completions',
  anthropic: 'Anthropic Messages',
  gemini: 'Google Gemini',
  ollama: 'Ollama',
}

/** What the address has to end in, for who types one. */
export const API_ADDRESSES: { readonly [A in ProviderApi]: string } = {
  'openai-responses': 'https://…/v1',
  'openai-chat': 'https://…/v1',
  anthropic: 'https://…',
  gemini: 'https://…/v1beta',
  ollama: 'http://localhost:11434',
}

/** For vendors whose documents say nothing of it. */
const UNSURE =
  'Whether it lets browsers in is not told in its documents: a test shows it. If not, use its models through OpenRouter, or a proxy of your own.'

export const providerPresets: readonly ProviderPreset[] = [
  {
    id: 'openai',
    label: 'OpenAI',
    group: 'hosted',
    api: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    alternatives: [{ api: 'openai-chat', baseUrl: 'https://api.openai.com/v1' }],
    example: 'gpt-5.4-mini',
    key: { page: 'API keys', url: 'https://platform.openai.com/api-keys', begins: 'sk-' },
    note: 'Some of its errors, such as that of an unknown model, cannot be read by a browser, and look like a failed connection.',
  },
  {
    id: 'anthropic',
    label: 'Anthropic',
    group: 'hosted',
    api: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    example: 'claude-sonnet-5',
    key: { page: 'API keys in the Console', url: 'https://console.anthropic.com/settings/keys', begins: 'sk-ant-' },
    note: 'Lets browsers in when they ask for it, as this page does. An organisation can forbid that in its settings; its keys are then refused.',
  },
  {
    id: 'gemini',
    label: 'Google Gemini',
    group: 'hosted',
    api: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    example: 'gemini-2.5-flash',
    key: { page: 'API keys in AI Studio', url: 'https://aistudio.google.com/apikey' },
  },
  {
    id: 'openrouter',
    label: 'OpenRouter',
    group: 'hosted',
    api: 'openai-chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    example: 'vendor/model',
    key: { page: 'API keys', url: 'https://openrouter.ai/settings/keys', begins: 'sk-or-' },
    note: 'Many vendors behind one key, and it lets browsers in: a way to those who do not.',
  },
  {
    id: 'deepseek',
    label: 'DeepSeek',
    group: 'hosted',
    api: 'openai-chat',
    baseUrl: 'https://api.deepseek.com/v1',
    alternatives: [{ api: 'anthropic', baseUrl: 'https://api.deepseek.com/anthropic' }],
    example: 'deepseek-v4-flash',
    key: { page: 'API keys', url: 'https://platform.deepseek.com/api_keys', begins: 'sk-' },
  },
  {
    id: 'groq',
    label: 'Groq',
    group: 'hosted',
    api: 'openai-chat',
    baseUrl: 'https://api.groq.com/openai/v1',
    example: 'openai/gpt-oss-120b',
    key: { page: 'API Keys in the Console', url: 'https://console.groq.com/keys', begins: 'gsk_' },
  },
  {
    id: 'mistral',
    label: 'Mistral',
    group: 'hosted',
    api: 'openai-chat',
    baseUrl: 'https://api.mistral.ai/v1',
    example: 'mistral-medium-3-5',
    key: { page: 'API keys in the Console', url: 'https://console.mistral.ai/api-keys' },
  },
  {
    id: 'xai',
    label: 'xAI',
    group: 'hosted',
    api: 'openai-chat',
    baseUrl: 'https://api.x.ai/v1',
    alternatives: [{ api: 'openai-responses', baseUrl: 'https://api.x.ai/v1' }],
    example: 'grok-4.5',
    key: { page: 'API Keys in the Console', url: 'https://console.x.ai', begins: 'xai-' },
    note: UNSURE,
  },
  {
    id: 'together',
    label: 'Together',
    group: 'hosted',
    api: 'openai-chat',
    baseUrl: 'https://api.together.xyz/v1',
    example: 'openai/gpt-oss-120b',
    key: { page: 'API Keys', url: 'https://api.together.ai/settings/api-keys' },
    note: UNSURE,
  },
  {
    id: 'fireworks',
    label: 'Fireworks',
    group: 'hosted',
    api: 'openai-chat',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    example: 'accounts/fireworks/models/gpt-oss-120b',
    key: { page: 'API Keys', url: 'https://app.fireworks.ai/settings/users/api-keys', begins: 'fw_' },
    note: UNSURE,
  },
  {
    id: 'cerebras',
    label: 'Cerebras',
    group: 'hosted',
    api: 'openai-chat',
    baseUrl: 'https://api.cerebras.ai/v1',
    example: 'gpt-oss-120b',
    key: { page: 'API keys in Cerebras Cloud', url: 'https://cloud.cerebras.ai', begins: 'csk-' },
    note: UNSURE,
  },
  {
    id: 'ollama',
    label: 'Ollama',
    group: 'local',
    api: 'ollama',
    baseUrl: 'http://localhost:11434',
    alternatives: [{ api: 'openai-chat', baseUrl: 'http://localhost:11434/v1' }],
    example: 'qwen3:8b',
    note: 'It loads models with a short context (4,096 tokens, if nobody tells it more) and cuts off what is longer without a word. For work with tools start it with OLLAMA_CONTEXT_LENGTH=32768 or more.',
  },
  {
    id: 'lm-studio',
    label: 'LM Studio',
    group: 'local',
    api: 'openai-chat',
    baseUrl: 'http://localhost:1234/v1',
    example: 'the name it shows',
  },
  {
    id: 'llama-cpp',
    label: 'llama.cpp',
    group: 'local',
    api: 'openai-chat',
    baseUrl: 'http://localhost:8080/v1',
    example: 'default',
    note: 'llama-server lets every page in, unless it was started with tools or an origin of its own; any model name works.',
  },
  {
    id: 'vllm',
    label: 'vLLM',
    group: 'local',
    api: 'openai-chat',
    baseUrl: 'http://localhost:8000/v1',
    example: 'the name it serves',
  },
  {
    id: 'custom',
    label: 'Other',
    group: 'other',
    api: 'openai-chat',
    baseUrl: '',
    alternatives: [
      { api: 'openai-responses', baseUrl: '' },
      { api: 'anthropic', baseUrl: '' },
      { api: 'gemini', baseUrl: '' },
      { api: 'ollama', baseUrl: '' },
    ],
    example: 'model-name',
    note: 'Any server that speaks one of these protocols and lets this page read its answers.',
  },
]

/** How a server that was found on this computer goes into the form. */
export const presetOfServer = (kind: LocalServer['kind']): string => (kind === 'other' ? 'custom' : kind)

/** An id that no provider has yet: the preset's, or that with a number. */
export const freeId = (wanted: string, taken: readonly string[]): string => {
  if (!taken.includes(wanted)) return wanted
  let number = 2
  while (taken.includes(`${wanted}-${number}`)) number++
  return `${wanted}-${number}`
}
