// Providers of every protocol: saved, read again, asked in their own way, and what is known of their models.
import { describe, expect, test, vi } from 'vitest'
import { PROVIDER_APIS, type ProviderApi } from '../../../src/worker/protocol/providers.ts'
import { memoryChannels } from '../../kit/memory-channels.ts'
import { draft, json, modelsWorld, oneWord } from './models-world.ts'

const ADDRESSES: { readonly [A in ProviderApi]: { readonly baseUrl: string; readonly asked: string; readonly keyHeader: string } } = {
  'openai-chat': { baseUrl: 'https://v.example/v1', asked: 'https://v.example/v1/chat/completions', keyHeader: 'authorization' },
  'openai-responses': { baseUrl: 'https://v.example/v1', asked: 'https://v.example/v1/responses', keyHeader: 'authorization' },
  anthropic: { baseUrl: 'https://v.example', asked: 'https://v.example/v1/messages', keyHeader: 'x-api-key' },
  gemini: {
    baseUrl: 'https://v.example/v1beta',
    asked: 'https://v.example/v1beta/models/m:streamGenerateContent?alt=sse',
    keyHeader: 'x-goog-api-key',
  },
  ollama: { baseUrl: 'https://v.example', asked: 'https://v.example/api/chat', keyHeader: 'authorization' },
}

describe.each(PROVIDER_APIS)('A1 a provider that speaks %s', (api) => {
  const { baseUrl, asked: address, keyHeader } = ADDRESSES[api]

  test('is asked for one word at its own address, with its key where it belongs', async () => {
    const { models, asked } = await modelsWorld({ answer: () => new Response(oneWord[api]) })
    expect(await models.test({ provider: draft({ api, baseUrl, key: 'sk-1' }) })).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^m answered in/),
    })
    expect(asked.map(({ url }) => url)).toEqual([address])
    expect(new Headers(asked[0]?.init.headers).get(keyHeader)).toContain('sk-1')
  })

  test('is saved, and there after a restart', async () => {
    const { models, stores } = await modelsWorld()
    await models.save({ provider: draft({ api, baseUrl, key: 'sk-1' }) })
    const again = await modelsWorld({ stores, answer: () => new Response(oneWord[api]) })
    expect(await again.models.providers({})).toEqual([{ id: 'p', label: 'P', api, baseUrl, models: ['m'], hasKey: true }])
    expect(again.llm.providers()).toContain('p')
    await again.models.test({ provider: draft({ api, baseUrl }) })
    expect(new Headers(again.asked[0]?.init.headers).get(keyHeader)).toContain('sk-1')
  })
})

describe('what is stored', () => {
  const OLD = { id: 'old', label: 'Old', api: 'openai-chat', baseUrl: 'https://o.example/v1', models: ['a'] }

  test('A1 settings of a version that knew one protocol still load', async () => {
    const { models, llm } = await modelsWorld({ stored: [OLD] })
    expect(await models.providers({})).toEqual([{ ...OLD, hasKey: false }])
    expect(llm.providers()).toContain('old')
  })

  test('A1 what this version cannot read is left out, and is still there after others were saved and removed', async () => {
    const later = { ...OLD, id: 'later', api: 'quantum' }
    const { models, stores } = await modelsWorld({ stored: [later, 5, null, { ...OLD, baseUrl: 'https://:0:0/' }, OLD] })
    expect((await models.providers({})).map(({ id }) => id)).toEqual(['old'])
    await models.save({ provider: draft() })
    await models.remove({ providerId: 'old' })
    expect(await stores.settings.get('providers')).toEqual([later, 5, null, { ...OLD, baseUrl: 'https://:0:0/' }, draft()])
  })

  test('S14 a key belongs to the server that it was given for', async () => {
    const { models, asked } = await modelsWorld({ answer: () => new Response(oneWord['openai-chat']) })
    await models.save({ provider: draft({ key: 'sk-1' }) })
    await models.test({ provider: draft({ baseUrl: 'https://elsewhere.example/v1' }) })
    expect(new Headers(asked[0]?.init.headers).has('authorization')).toBe(false)
    await models.save({ provider: draft({ baseUrl: 'https://elsewhere.example/v1' }) })
    expect(await models.providers({})).toMatchObject([{ hasKey: false }])
  })
})

describe('W12 what is known of a model', () => {
  const infoOf = async (given: Parameters<typeof modelsWorld>[0], provider = draft()) => {
    const { models } = await modelsWorld(given)
    await models.save({ provider })
    return (await models.list({})).find((choice) => choice.provider === 'p')?.info
  }

  test('nothing, and it can be chosen all the same', async () => {
    expect(await infoOf({})).toBeUndefined()
  })

  test('the catalogue’s price is the vendor’s own: another server has its own', async () => {
    const openai = draft({ baseUrl: 'https://api.openai.com/v1', models: ['gpt-4.1'] })
    expect(await infoOf({}, openai)).toMatchObject({ contextWindow: 1_047_576, prices: { input: 2, asOf: '2025-11-01' } })
    const proxy = await infoOf({}, { ...openai, baseUrl: 'https://openai.com.evil.example/v1' })
    expect(proxy).toMatchObject({ contextWindow: 1_047_576 })
    expect(proxy).not.toHaveProperty('prices')
  })

  test('the server’s word goes before the catalogue, the application’s before both, field by field', async () => {
    const provider = draft({
      baseUrl: 'https://api.openai.com/v1',
      models: ['gpt-4.1'],
      facts: [{ id: 'gpt-4.1', info: { contextWindow: 5000, maxOutput: 400 } }],
    })
    const info = await infoOf({ catalogue: { 'gpt-4.1': { maxOutput: 300 } } }, provider)
    expect(info).toMatchObject({ contextWindow: 5000, maxOutput: 300, images: true })
  })

  test('the runtime knows it too, before the vendor’s code is loaded', async () => {
    const { models, llm } = await modelsWorld()
    await models.save({ provider: draft({ facts: [{ id: 'm', info: { contextWindow: 9000 } }] }) })
    expect(llm.info('p', 'm')).toEqual({ contextWindow: 9000 })
  })

  test('W13 an effort level that the server says the model lacks is refused before the request', async () => {
    const { models, llm, asked } = await modelsWorld()
    await models.save({ provider: draft({ facts: [{ id: 'm', info: { efforts: ['low'] } }] }) })
    const stream = async () => {
      for await (const _ of llm.stream({ provider: 'p', model: 'm', messages: [], effort: 'high' }));
    }
    await expect(stream()).rejects.toThrow('The model m has no effort level "high". It has: low.')
    expect(asked).toEqual([])
  })
})

test('A1 the list of a server comes with what it says, and what the catalogue adds', async () => {
  const { models } = await modelsWorld({ answer: () => json({ data: [{ id: 'gpt-4.1', context_length: 777 }, { id: 'mine' }] }) })
  expect(await models.discover({ provider: draft() })).toEqual({
    ok: true,
    models: [{ id: 'gpt-4.1', info: { tools: true, images: true, contextWindow: 777, maxOutput: 32_768, efforts: [] } }, { id: 'mine' }],
  })
})

test('S9 what one tab saves or removes is known to the others, which may drive the session that it is for', async () => {
  const open = memoryChannels()
  const here = await modelsWorld({ channels: open().channels })
  const { stores } = here
  const there = await modelsWorld({ stores, channels: open().channels })
  await here.models.save({ provider: draft() })
  await vi.waitFor(() => expect(there.llm.providers()).toContain('p'))
  await here.models.remove({ providerId: 'p' })
  await vi.waitFor(() => expect(there.llm.providers()).not.toContain('p'))
})
