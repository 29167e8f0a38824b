// The fields of a provider's form, and what they mean as settings.
import type { ProviderDraft, ProviderView } from './agent-client.ts'
import type { ProviderPreset } from './provider-presets.ts'
import { freeId, providerPresets } from './provider-presets.ts'

export type ProviderFields = {
  readonly preset: string
  readonly label: string
  readonly baseUrl: string
  readonly key: string
  readonly forgetKey: boolean
  readonly models: readonly string[]
}

export const fieldsOf = (provider: ProviderView | undefined): ProviderFields => {
  const first = providerPresets[0]
  if (provider === undefined)
    return { preset: first?.id ?? '', label: first?.label ?? '', baseUrl: first?.baseUrl ?? '', key: '', forgetKey: false, models: [] }
  const preset = providerPresets.find((candidate) => candidate.baseUrl === provider.baseUrl)?.id ?? 'custom'
  return { preset, label: provider.label, baseUrl: provider.baseUrl, key: '', forgetKey: false, models: provider.models }
}

export const presetOf = (fields: ProviderFields): ProviderPreset | undefined =>
  providerPresets.find((preset) => preset.id === fields.preset)

/** What must be put right before anything can be tried; undefined when nothing. */
export const problemIn = (fields: ProviderFields): string | undefined => {
  if (fields.label.trim() === '') return 'Give it a name.'
  let url: URL
  try {
    url = new URL(fields.baseUrl.trim())
  } catch {
    return 'The address must be a whole one, such as https://api.example.com/v1.'
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The address must begin with https:// or http://.'
  return undefined
}

/** An existing provider keeps its id; a key is sent only when it was typed, and an empty one only to forget what is stored. */
export const draftOf = (fields: ProviderFields, before: ProviderView | undefined, all: readonly ProviderView[]): ProviderDraft => {
  const wanted = fields.preset === 'custom' ? slugOf(fields.label) : fields.preset
  const key = fields.forgetKey ? '' : fields.key.trim() === '' ? undefined : fields.key.trim()
  return {
    id: before?.id ?? freeId(wanted, [DEMO, ...all.map((provider) => provider.id)]),
    label: fields.label.trim(),
    api: 'openai-chat',
    baseUrl: fields.baseUrl
      .trim()
      .replace(/\/+$/, '')
      .replace(/\/chat\/completions$/, ''),
    models: fields.models,
    ...(key === undefined ? {} : { key }),
  }
}

/** The built-in demo's name is taken. */
const DEMO = 'demo'

const slugOf = (label: string): string =>
  label
    .trim()
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '') || 'provider'
