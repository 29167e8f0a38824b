// The fields of a provider's form, and what they mean as settings.
import type { ListedModel, LocalServer, ProviderApi, ProviderDraft, ProviderView } from './agent-client.ts'
import type { ProviderPreset } from './provider-presets.ts'
import { freeId, presetOfServer, providerPresets } from './provider-presets.ts'

export type ProviderFields = {
  readonly preset: string
  readonly label: string
  readonly api: ProviderApi
  readonly baseUrl: string
  readonly key: string
  readonly forgetKey: boolean
  readonly models: readonly string[]
  /** Names that are being typed: they count, though nobody pressed Enter. */
  readonly typed: string
  /** What the server said of models, chosen or not. */
  readonly facts: readonly ListedModel[]
}

const EMPTY = { key: '', forgetKey: false, models: [], typed: '', facts: [] } as const

const presetCalled = (id: string): ProviderPreset | undefined => providerPresets.find((preset) => preset.id === id)

/** Of a preset; its name is left to the person where it has none of its own. */
export const fieldsOfPreset = (id: string): ProviderFields => {
  const preset = presetCalled(id)
  const label = preset === undefined || preset.group === 'other' ? '' : preset.label
  return { ...EMPTY, preset: id, label, api: preset?.api ?? 'openai-chat', baseUrl: preset?.baseUrl ?? '' }
}

export const fieldsOfServer = ({ kind, api, baseUrl, models }: LocalServer): ProviderFields => {
  const fields = fieldsOfPreset(presetOfServer(kind))
  const label = fields.label === '' ? `Server at ${new URL(baseUrl).host}` : fields.label
  return { ...fields, label, api, baseUrl, models: models.slice(0, 1) }
}

export const fieldsOf = (provider: ProviderView): ProviderFields => {
  const { label, api, baseUrl, models, facts = [] } = provider
  return { ...EMPTY, preset: presetAt(provider)?.id ?? 'custom', label, api, baseUrl, models, facts }
}

/** By its address, in one of the protocols that it speaks. */
const presetAt = ({ api, baseUrl }: Pick<ProviderView, 'api' | 'baseUrl'>): ProviderPreset | undefined =>
  providerPresets.find((preset) =>
    [preset, ...(preset.alternatives ?? [])].some(
      (place) => place.baseUrl !== '' && place.api === api && sameAddress(place.baseUrl, baseUrl),
    ),
  )

/** The two names of this computer are one. */
const sameAddress = (one: string, other: string): boolean =>
  one.replace('//localhost:', '//127.0.0.1:') === other.replace('//localhost:', '//127.0.0.1:')

export const presetOf = (fields: ProviderFields): ProviderPreset | undefined => presetCalled(fields.preset)

/** The protocols to choose from, the preset's own first; a lone one is no choice. */
export const apisOf = (preset: ProviderPreset | undefined, chosen: ProviderApi): readonly ProviderApi[] => {
  const offered = preset === undefined ? [] : [preset.api, ...(preset.alternatives ?? []).map(({ api }) => api)]
  return offered.includes(chosen) ? offered : [...offered, chosen]
}

/** Another protocol lives at another address of the same place; an address that the person typed stays. */
export const withApi = (fields: ProviderFields, api: ProviderApi): ProviderFields => {
  const preset = presetOf(fields)
  const places = preset === undefined ? [] : [preset, ...(preset.alternatives ?? [])]
  const isOwn = places.some(({ baseUrl }) => baseUrl === fields.baseUrl)
  const there = places.find((place) => place.api === api)?.baseUrl
  return { ...fields, api, facts: [], ...(isOwn && there !== undefined ? { baseUrl: there } : {}) }
}

/** Chosen and typed, each once. */
export const modelsOf = ({ models, typed }: ProviderFields): readonly string[] => [
  ...new Set([...models, ...typed.split(/[\s,]+/).filter((name) => name !== '')]),
]

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

/** A key that may be another vendor's is worth a word before it is tried; it is tried all the same. */
export const doubtAboutKey = (fields: ProviderFields): string | undefined => {
  const preset = presetOf(fields)
  const key = fields.key.trim()
  const begins = preset?.key?.begins
  if (key === '' || preset === undefined) return undefined
  if (/\s/.test(key)) return 'A key has no blanks in it: it may have been copied with something else.'
  return begins === undefined || key.startsWith(begins)
    ? undefined
    : `Keys of ${preset.label} begin with ${begins}. This may be another one’s.`
}

/** An existing provider keeps its id; a key is sent only when it was typed, and an empty one only to forget what is stored. */
export const draftOf = (fields: ProviderFields, before: ProviderView | undefined, all: readonly ProviderView[]): ProviderDraft => {
  const preset = presetOf(fields)
  const wanted = preset === undefined || preset.group === 'other' ? slugOf(fields.label) : preset.id
  const key = fields.forgetKey ? '' : fields.key.trim() === '' ? undefined : fields.key.trim()
  const models = modelsOf(fields)
  const facts = fields.facts.filter(({ id, info }) => info !== undefined && models.includes(id))
  return {
    id: before?.id ?? freeId(wanted, [...TAKEN, ...all.map((provider) => provider.id)]),
    label: fields.label.trim(),
    api: fields.api,
    baseUrl: withoutEndpoint(fields.baseUrl.trim()),
    models,
    ...(facts.length === 0 ? {} : { facts }),
    ...(key === undefined ? {} : { key }),
  }
}

/** A person may have copied the address of the endpoint itself. */
const withoutEndpoint = (address: string): string =>
  address
    .replace(/\/+$/, '')
    .replace(/\/(chat\/completions|responses)$/, '')
    .replace(/\/v1\/messages$/, '')
    .replace(/\/api\/(chat|tags)$/, '')

/** Of the demo and of the browser's own model. */
const TAKEN = ['demo', 'prompt-api', 'built-in']

const slugOf = (label: string): string =>
  label
    .trim()
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)
    .replace(/-$/, '') || 'provider'
