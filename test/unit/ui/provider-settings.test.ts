// What a person enters about a provider, and what it means: presets, drafts, doubts, settings of local servers, words about models.
import { describe, expect, test } from 'vitest'
import type { ProviderView } from '../../../src/ui/state/agent-client.ts'
import { changesOf, fieldsOfLimits, problemInLimits } from '../../../src/ui/state/limit-fields.ts'
import { originSetting, serverKind } from '../../../src/ui/state/origin-settings.ts'
import {
  apisOf,
  doubtAboutKey,
  draftOf,
  fieldsOf,
  fieldsOfPreset,
  fieldsOfServer,
  presetOf,
  problemIn,
  withApi,
} from '../../../src/ui/state/provider-fields.ts'
import { providerPresets } from '../../../src/ui/state/provider-presets.ts'
import { explainPrices, sayModel, sayPrices, sayTokens } from '../../../src/ui/state/say-model.ts'
import { checkCommands } from '../../../src/worker/protocol/commands.ts'
import { LOCAL_SERVERS, PROVIDER_APIS } from '../../../src/worker/protocol/providers.ts'

const view = (change: Partial<ProviderView>): ProviderView => ({
  id: 'p',
  label: 'P',
  api: 'openai-chat',
  baseUrl: 'https://v.example/v1',
  models: ['m'],
  hasKey: false,
  ...change,
})

describe('A1 presets', () => {
  test('each gives a provider that the boundary takes, and every protocol can be chosen', async () => {
    const taken: unknown[] = []
    const group = new Proxy({}, { get: () => async (input: unknown) => void taken.push(input) })
    const host = checkCommands(new Proxy({}, { get: () => group }) as Parameters<typeof checkCommands>[0])
    for (const preset of providerPresets) {
      const fields = { ...fieldsOfPreset(preset.id), models: [preset.example] }
      const filled = preset.id === 'custom' ? { ...fields, label: 'Mine', baseUrl: 'https://v.example' } : fields
      expect(problemIn(filled), preset.id).toBeUndefined()
      await host.models.save({ provider: draftOf(filled, undefined, []) })
    }
    expect(taken).toHaveLength(providerPresets.length)
    const offered = providerPresets.flatMap((preset) => apisOf(preset, preset.api))
    expect(new Set(offered)).toEqual(new Set(PROVIDER_APIS))
  })

  test('hosted ones are https, with the page where keys are made; local ones are this computer', () => {
    for (const { group, baseUrl, key, id } of providerPresets) {
      if (group === 'hosted') expect([new URL(baseUrl).protocol, new URL(key?.url ?? '').protocol], id).toEqual(['https:', 'https:'])
      if (group === 'local') expect(new URL(baseUrl).hostname, id).toBe('localhost')
    }
    expect(new Set(providerPresets.map(({ id }) => id)).size).toBe(providerPresets.length)
  })

  test('a stored provider is known again, in any protocol of its place', () => {
    expect(presetOf(fieldsOf(view({ baseUrl: 'https://api.openai.com/v1' })))?.id).toBe('openai')
    expect(presetOf(fieldsOf(view({ baseUrl: 'https://api.openai.com/v1', api: 'openai-responses' })))?.id).toBe('openai')
    expect(presetOf(fieldsOf(view({ baseUrl: 'http://127.0.0.1:11434', api: 'ollama' })))?.id).toBe('ollama')
    expect(presetOf(fieldsOf(view({ baseUrl: 'https://api.anthropic.com' })))?.id).toBe('custom')
    expect(presetOf(fieldsOf(view({ baseUrl: 'https://proxy.example/v1' })))?.id).toBe('custom')
  })
})

describe('A1 a provider’s form', () => {
  test('another protocol moves to its own address, and leaves one that was typed', () => {
    const ollama = fieldsOfPreset('ollama')
    expect(withApi(ollama, 'openai-chat')).toMatchObject({ api: 'openai-chat', baseUrl: 'http://localhost:11434/v1' })
    expect(withApi({ ...ollama, baseUrl: 'http://box.lan:11434' }, 'openai-chat').baseUrl).toBe('http://box.lan:11434')
  })

  test('an address with its endpoint is cut to what the protocol wants', () => {
    const baseUrl = (typed: string) => draftOf({ ...fieldsOfPreset('custom'), label: 'x', baseUrl: typed }, undefined, []).baseUrl
    expect(baseUrl(' https://a.example/v1/chat/completions/ ')).toBe('https://a.example/v1')
    expect(baseUrl('https://a.example/v1/responses')).toBe('https://a.example/v1')
    expect(baseUrl('https://a.example/v1/messages')).toBe('https://a.example')
    expect(baseUrl('http://localhost:11434/api/chat')).toBe('http://localhost:11434')
  })

  test('ids are free, plain and never those of what comes with the application', () => {
    const id = (label: string) => draftOf({ ...fieldsOfPreset('custom'), label, baseUrl: 'https://a.example' }, undefined, []).id
    expect(id('Größe & Co.')).toBe('gr-e-co')
    expect(id('Demo')).toBe('demo-2')
    expect(id('日本語')).toBe('provider')
    expect(id('x'.repeat(200))).toHaveLength(60)
  })

  test('only what was said of chosen models goes along', () => {
    const facts = [{ id: 'a', info: { tools: true } }, { id: 'b', info: { tools: false } }, { id: 'c' }]
    const fields = { ...fieldsOfPreset('openrouter'), models: ['a', 'c'], facts }
    expect(draftOf(fields, undefined, []).facts).toEqual([{ id: 'a', info: { tools: true } }])
    expect(draftOf({ ...fields, models: ['c'] }, undefined, [])).not.toHaveProperty('facts')
  })

  test('a key that looks like another vendor’s is doubted, not refused', () => {
    const fields = { ...fieldsOfPreset('anthropic'), key: 'sk-proj-1' }
    expect(doubtAboutKey(fields)).toContain('begin with sk-ant-')
    expect(doubtAboutKey({ ...fields, key: 'sk-ant-1' })).toBeUndefined()
    expect(doubtAboutKey({ ...fields, key: 'sk-ant-1 2' })).toContain('no blanks')
    expect(doubtAboutKey({ ...fieldsOfPreset('gemini'), key: 'anything' })).toBeUndefined()
  })

  test('a server that was found fills the form', () => {
    const found = { kind: 'vllm', api: 'openai-chat', baseUrl: 'http://127.0.0.1:8000/v1', state: 'answers', models: ['a', 'b'] } as const
    expect(fieldsOfServer(found)).toMatchObject({ preset: 'vllm', label: 'vLLM', baseUrl: 'http://127.0.0.1:8000/v1', models: ['a'] })
    expect(fieldsOfServer({ ...found, kind: 'other' })).toMatchObject({ preset: 'custom', label: 'Server at 127.0.0.1:8000' })
  })
})

describe('A1 the setting of a local server that refuses this page', () => {
  const ORIGIN = 'https://app.example:8443'
  const linesOf = (kind: (typeof LOCAL_SERVERS)[number]) => originSetting(kind, ORIGIN).steps.flatMap(({ lines }) => lines ?? [])

  test('holds this page’s own origin, in the form of each server', () => {
    expect(linesOf('ollama')).toContain(`launchctl setenv OLLAMA_ORIGINS "${ORIGIN}"`)
    expect(linesOf('ollama')).toContain(`setx OLLAMA_ORIGINS "${ORIGIN}"`)
    expect(linesOf('ollama').some((lines) => lines.includes('systemctl restart ollama') && lines.includes(ORIGIN))).toBe(true)
    expect(linesOf('lm-studio')).toEqual(['lms server start --cors'])
    expect(linesOf('llama-cpp')).toEqual([`llama-server --cors-origins "${ORIGIN}" …`])
    expect(linesOf('vllm')).toEqual([`vllm serve MODEL --allowed-origins '["${ORIGIN}"]'`])
    expect(linesOf('other')).toEqual([ORIGIN])
  })

  test('is never a star: that would let every page of the web in', () => {
    for (const kind of LOCAL_SERVERS) expect(linesOf(kind).join('\n')).not.toContain('*')
  })

  test('which server it is, is told by its preset, else by its port', () => {
    expect(serverKind('vllm', 'http://localhost:1/v1')).toBe('vllm')
    expect(serverKind('custom', 'http://127.0.0.1:11434')).toBe('ollama')
    expect(serverKind('custom', 'nonsense')).toBe('other')
  })
})

describe('W12 words about a model', () => {
  const prices = { input: 0.3, output: 2.5, cacheRead: 0.03, asOf: '2026-11-30' }

  test('what nobody said is left out', () => {
    expect(sayModel(undefined)).toEqual([])
    expect(sayModel({})).toEqual([])
    expect(sayModel({ contextWindow: 1_048_576, maxOutput: 65_536, images: true, tools: true, efforts: ['low'], prices })).toEqual([
      '1M window',
      '66k reply',
      'sees images',
      'tools',
      'reasons',
      '$0.3 / $2.5',
    ])
    expect(sayModel({ tools: false, efforts: [], prices: { input: 0, output: 0, asOf: '2026-11-30' } })).toEqual(['no tools', 'free'])
  })

  test('prices come with their day', () => {
    expect(sayPrices(prices)).toBe('$0.3 in, $2.5 out, $0.03 read from the cache per million tokens, as of 2026-11-30')
    expect(explainPrices([{ prices }, undefined])).toContain('as of 2026-11-30')
    expect(explainPrices([{ prices }, { prices: { ...prices, asOf: '2025-01-01' } }])).toContain('each with its day')
    expect(explainPrices([{}, undefined])).toBeUndefined()
  })

  test('tokens in as few digits as tell them', () => {
    expect([900, 4096, 131_072, 1_000_000, 1_050_000, 2_500_000].map(sayTokens)).toEqual(['900', '4k', '131k', '1M', '1.1M', '2.5M'])
  })
})

describe('W13 limits', () => {
  test('empty is the model’s own; what cannot be is said before it is saved', () => {
    expect(changesOf({ maxTokens: '', temperature: ' ', effort: '' })).toEqual({ maxTokens: null, temperature: null, effort: null })
    expect(changesOf({ maxTokens: '4096', temperature: '0,5', effort: 'high' })).toEqual({
      maxTokens: 4096,
      temperature: 0.5,
      effort: 'high',
    })
    const problem = (maxTokens: string, temperature = '') => problemInLimits({ maxTokens, temperature, effort: '' }, { maxOutput: 8192 })
    expect([problem('8192'), problem('')]).toEqual([undefined, undefined])
    expect(problem('9000')).toContain('at most 8,192 tokens')
    for (const typed of ['0', '-1', '1.5', 'many']) expect(problem(typed)).toContain('whole number')
    for (const typed of ['3', '-0.1', 'hot']) expect(problem('', typed)).toContain('from 0 to 2')
    expect(fieldsOfLimits({ temperature: 0 })).toEqual({ maxTokens: '', temperature: '0', effort: '' })
  })
})
