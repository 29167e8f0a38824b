// Lists of models in the forms that vendors give them: what chats, by which name, and what is said of it.
import { describe, expect, test } from 'vitest'
import { ollama } from '../../../src/worker/llm/adapters/ollama.ts'
import { readModels } from '../../../src/worker/llm/adapters/read-models.ts'

const TODAY = { now: () => Date.UTC(2026, 10, 30) }
const read = (answer: unknown) => readModels(answer, TODAY)

describe('W12 what each vendor’s list says of a model, and nothing more', () => {
  test('OpenAI: names, of which those that do something else are left out', () => {
    const names = [
      'gpt-5.4-mini',
      'o3',
      'text-embedding-3-small',
      'tts-1-hd',
      'whisper-1',
      'dall-e-3',
      'gpt-image-1',
      'omni-moderation-latest',
    ]
    const more = [
      'gpt-4o-realtime-preview',
      'gpt-4o-audio-preview',
      'gpt-4o-mini-transcribe',
      'sora-2',
      'davinci-002',
      'chatgpt-image-latest',
    ]
    expect(read({ object: 'list', data: [...names, ...more].map((id) => ({ id, object: 'model', owned_by: 'system' })) })).toEqual([
      { id: 'gpt-5.4-mini' },
      { id: 'o3' },
    ])
  })

  test('Anthropic', () => {
    const capabilities = {
      image_input: { supported: true },
      effort: { supported: true, high: { supported: true }, low: { supported: true }, max: { supported: false } },
    }
    const entry = {
      type: 'model',
      id: 'claude-x',
      display_name: 'Claude X',
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      capabilities,
    }
    expect(read({ data: [entry], has_more: false })).toEqual([
      {
        id: 'claude-x',
        name: 'Claude X',
        info: { images: true, contextWindow: 1_000_000, maxOutput: 128_000, efforts: ['low', 'high'] },
      },
    ])
  })

  test('Gemini', () => {
    const chat = {
      name: 'models/gemini-x',
      displayName: 'Gemini X',
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
    }
    const embedding = { name: 'models/vectors-1', supportedGenerationMethods: ['embedContent'] }
    expect(read({ models: [chat, embedding] })).toEqual([
      { id: 'gemini-x', name: 'Gemini X', info: { contextWindow: 1_048_576, maxOutput: 65_536 } },
    ])
  })

  test('OpenRouter, with prices per token and their day', () => {
    const entry = {
      id: 'vendor/model',
      name: 'Vendor: Model',
      context_length: 200_000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      top_provider: { max_completion_tokens: 32_000 },
      pricing: { prompt: '0.0000003', completion: '0.0000015', input_cache_read: '0.00000003', request: '0' },
      supported_parameters: ['tools', 'reasoning', 'temperature'],
    }
    const painter = { id: 'vendor/paint', architecture: { output_modalities: ['image'] } }
    const router = { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } }
    const free = { id: 'vendor/gift', pricing: { prompt: '0', completion: '0' }, supported_parameters: [] }
    expect(read({ data: [entry, painter, router, free] })).toEqual([
      {
        id: 'vendor/model',
        name: 'Vendor: Model',
        info: {
          tools: true,
          images: true,
          contextWindow: 200_000,
          maxOutput: 32_000,
          efforts: ['low', 'medium', 'high'],
          prices: { input: 0.3, output: 1.5, cacheRead: 0.03, asOf: '2026-11-30' },
        },
      },
      { id: 'openrouter/auto' },
      { id: 'vendor/gift', info: { tools: false, efforts: [], prices: { input: 0, output: 0, asOf: '2026-11-30' } } },
    ])
  })

  test('Groq, Mistral, Together, Fireworks', () => {
    expect(
      read({
        data: [
          { id: 'llama-70b', active: true, context_window: 131_072, max_completion_tokens: 32_768 },
          { id: 'old', active: false },
          { id: 'whisper-large-v3', active: true },
        ],
      }),
    ).toEqual([{ id: 'llama-70b', info: { contextWindow: 131_072, maxOutput: 32_768 } }])
    const chats = { completion_chat: true, function_calling: true, vision: false }
    expect(
      read({
        data: [
          { id: 'mistral-x', max_context_length: 262_144, capabilities: chats },
          { id: 'mistral-embed', capabilities: { ...chats, completion_chat: false } },
        ],
      }),
    ).toEqual([{ id: 'mistral-x', info: { tools: true, images: false, contextWindow: 262_144 } }])
    expect(
      read([
        { id: 'a/b', type: 'chat', display_name: 'B', context_length: 8192, pricing: { hourly: 0, input: 0.2, output: 0.6 } },
        { id: 'a/c', type: 'rerank' },
      ]),
    ).toEqual([{ id: 'a/b', name: 'B', info: { contextWindow: 8192, prices: { input: 0.2, output: 0.6, asOf: '2026-11-30' } } }])
    expect(
      read({
        data: [
          { id: 'f/x', supports_chat: true, supports_image_input: true, supports_tools: false, context_length: 4096 },
          { id: 'f/y', supports_chat: false },
        ],
      }),
    ).toEqual([{ id: 'f/x', info: { tools: false, images: true, contextWindow: 4096 } }])
  })

  test('local servers: the context that runs goes before the one that the model could have', () => {
    expect(read({ data: [{ id: 'v', max_model_len: 32_768, owned_by: 'vllm' }] })).toEqual([{ id: 'v', info: { contextWindow: 32_768 } }])
    expect(read({ data: [{ id: 'l', meta: { n_ctx: 8192, n_ctx_train: 131_072 } }] })).toEqual([{ id: 'l', info: { contextWindow: 8192 } }])
    const studio = { id: 's', type: 'vlm', max_context_length: 131_072, loaded_context_length: 4096 }
    expect(read({ data: [studio, { id: 'e', type: 'embeddings' }] })).toEqual([{ id: 's', info: { images: true, contextWindow: 4096 } }])
  })

  test('nonsense in an entry harms neither it nor the others', () => {
    const odd = { id: 'odd', context_length: 'long', pricing: { prompt: 'cheap', completion: null }, capabilities: 5, architecture: null }
    const list = [null, 5, {}, { id: '' }, odd, 'plain', { name: '__proto__' }]
    expect(read({ data: list })).toEqual([{ id: 'odd' }, { id: 'plain' }, { id: '__proto__' }])
  })

  test.each([undefined, 'text', { hello: 1 }, { data: {} }, 5, null])('what is no list is said to be none: %j', (answer) => {
    expect(() => read(answer)).toThrow('has no list of models at this address')
  })
})

describe('W12 Ollama is asked about each model', () => {
  const server = (shown: (model: string) => unknown) => {
    const asked: string[] = []
    const answer = async (url: string, { body }: RequestInit): Promise<Response> => {
      const { model = '' } = typeof body === 'string' ? JSON.parse(body) : {}
      asked.push(`${new URL(url).pathname} ${model}`.trim())
      if (url.endsWith('/api/tags'))
        return Response.json({ models: ['qwen3:8b', 'gpt-oss:20b', 'nomic', 'broken'].map((name) => ({ name })) })
      const said = shown(model)
      return said === undefined ? new Response('no', { status: 500 }) : Response.json(said)
    }
    return { asked, list: (signal = new AbortController().signal) => ollama({ fetch: answer }).models?.('p', signal) }
  }
  const about = (model: string) =>
    ({
      'qwen3:8b': {
        capabilities: ['completion', 'tools', 'thinking'],
        model_info: { 'qwen3.context_length': 40_960 },
        parameters: 'num_ctx  16384\nstop "x"',
      },
      'gpt-oss:20b': { capabilities: ['completion', 'vision', 'thinking'], model_info: { 'gptoss.context_length': 131_072 } },
      nomic: { capabilities: ['embedding'] },
    })[model]

  test('what it can do, with the context that it is set to', async () => {
    const { list, asked } = server(about)
    expect(await list()).toEqual([
      { id: 'qwen3:8b', info: { contextWindow: 16_384, tools: true, images: false, efforts: ['off', 'on'] } },
      { id: 'gpt-oss:20b', info: { contextWindow: 131_072, tools: false, images: true, efforts: ['low', 'medium', 'high'] } },
      { id: 'broken' },
    ])
    expect(asked.toSorted()).toEqual(['/api/show broken', '/api/show gpt-oss:20b', '/api/show nomic', '/api/show qwen3:8b', '/api/tags'])
  })

  test('an older server that tells no abilities lists its models all the same', async () => {
    const { list } = server(() => ({ model_info: {} }))
    expect((await list())?.map(({ id }) => id)).toEqual(['qwen3:8b', 'gpt-oss:20b', 'nomic', 'broken'])
  })

  test('a stop ends the questions', async () => {
    const stop = new AbortController()
    const { list, asked } = server((model) => {
      stop.abort(new Error('enough'))
      return about(model)
    })
    await expect(list(stop.signal)).rejects.toThrow('enough')
    expect(asked.length).toBeLessThan(6)
  })
})
