// Known places that speak the OpenAI chat protocol, with what a person needs to know to use them.

/** `local`: a server on this machine, which needs no key but must allow this page's origin. */
export type ProviderPreset = {
  readonly id: string
  readonly label: string
  readonly baseUrl: string
  readonly local: boolean
  /** A model's name to show what names look like there; not a choice. */
  readonly example: string
  readonly hint?: string
}

export const providerPresets: readonly ProviderPreset[] = [
  { id: 'openai', label: 'OpenAI', baseUrl: 'https://api.openai.com/v1', local: false, example: 'gpt-4.1-mini' },
  { id: 'openrouter', label: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1', local: false, example: 'vendor/model' },
  { id: 'deepseek', label: 'DeepSeek', baseUrl: 'https://api.deepseek.com/v1', local: false, example: 'deepseek-chat' },
  { id: 'groq', label: 'Groq', baseUrl: 'https://api.groq.com/openai/v1', local: false, example: 'llama-3.3-70b-versatile' },
  { id: 'mistral', label: 'Mistral', baseUrl: 'https://api.mistral.ai/v1', local: false, example: 'mistral-small-latest' },
  { id: 'xai', label: 'xAI', baseUrl: 'https://api.x.ai/v1', local: false, example: 'grok-3-mini' },
  {
    id: 'ollama',
    label: 'Ollama',
    baseUrl: 'http://localhost:11434/v1',
    local: true,
    example: 'llama3.2',
    hint: 'Start it with OLLAMA_ORIGINS set to this page’s address, so that the browser may read its answers.',
  },
  {
    id: 'lm-studio',
    label: 'LM Studio',
    baseUrl: 'http://localhost:1234/v1',
    local: true,
    example: 'the name it shows',
    hint: 'Turn on “Enable CORS” in its server settings, so that the browser may read its answers.',
  },
  {
    id: 'llama-cpp',
    label: 'llama.cpp',
    baseUrl: 'http://localhost:8080/v1',
    local: true,
    example: 'default',
    hint: 'llama-server allows every page by itself; any model name works.',
  },
  {
    id: 'custom',
    label: 'Other',
    baseUrl: '',
    local: false,
    example: 'model-name',
    hint: 'Any server that speaks the OpenAI chat protocol and allows this page’s origin.',
  },
]

/** An id that no provider has yet: the preset's, or that with a number. */
export const freeId = (wanted: string, taken: readonly string[]): string => {
  if (!taken.includes(wanted)) return wanted
  let number = 2
  while (taken.includes(`${wanted}-${number}`)) number++
  return `${wanted}-${number}`
}
