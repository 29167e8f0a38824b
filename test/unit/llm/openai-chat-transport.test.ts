// The OpenAI-chat adapter over a fetch of the test: what it sends, what it hides, when it gives up, what the model can do.
import { describe, expect, test } from 'vitest'
import { openaiChat } from '../../../src/worker/llm/adapters/openai-chat.ts'
import { gate } from '../../kit/gate.ts'
import { ask, collect, failureOf, fetchOf } from './ask-model.ts'

describe('the adapter and its surroundings', () => {
  const OK = () => new Response('data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')

  test('W1 the request carries no cookies, no referrer, and is not stored', async () => {
    let sent: RequestInit = {}
    await collect(
      openaiChat({
        baseUrl: 'https://v.example/v1',
        fetch: fetchOf((_, init) => {
          sent = init
          return OK()
        }),
      }),
    )
    expect(sent).toMatchObject({ method: 'POST', credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', redirect: 'error' })
  })

  test('S14 a key that fetch would refuse is refused before, and not quoted', async () => {
    let asked = 0
    const adapter = openaiChat({
      baseUrl: 'https://v.example/v1',
      key: 'sk-secret\nvalue',
      fetch: fetchOf(() => {
        asked += 1
        return OK()
      }),
    })
    const error = await failureOf(adapter)
    expect(error).toMatchObject({ failure: { class: 'auth' } })
    expect(String(error)).not.toContain('secret')
    expect(asked).toBe(0)
  })

  test('S14 a server that quotes the key cannot bring it into an error or a chunk', async () => {
    const key = 'plainkeywithoutmark'
    const echo = { error: { message: `bad key ${key}`, code: 'invalid_api_key' } }
    const answers = [new Response(JSON.stringify(echo), { status: 401 }), new Response(`data: ${JSON.stringify(echo)}\n\n`)]
    const adapter = openaiChat({ baseUrl: 'https://v.example/v1', key, fetch: fetchOf(() => answers.shift() ?? OK()) })
    const error = await failureOf(adapter)
    expect(JSON.stringify([String(error), (error as { failure: unknown }).failure])).not.toContain(key)
    const chunks = await collect(adapter)
    expect(chunks.at(-1)).toMatchObject({ reason: { kind: 'error', message: expect.stringContaining('bad key [key]') } })
    expect(JSON.stringify(chunks)).not.toContain(key)
  })

  test('W10 an opaque failure of the browser is explained by the surroundings, never as a wrong key', async () => {
    const adapter = openaiChat({
      baseUrl: 'https://v.example/v1',
      key: 'k',
      fetch: fetchOf(() => Promise.reject(new TypeError('Failed to fetch'))),
      surroundings: () => ({ online: true, origin: 'https://app.example' }),
    })
    expect(await failureOf(adapter)).toMatchObject({
      failure: { class: 'transport', code: 'unreachable' },
      message: expect.stringContaining('https://app.example'),
    })
  })

  test('L23 a transport that ignores its signal does not hold the call', async () => {
    const deaf = [
      fetchOf(() => new Promise<Response>(() => {})),
      fetchOf(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))),
    ]
    for (const fetch of deaf) {
      const controller = new AbortController()
      const call = collect(openaiChat({ baseUrl: 'https://v.example/v1', fetch }), ask({ signal: controller.signal }))
      await Promise.resolve()
      controller.abort(new Error('stopped by hand'))
      await expect(call).rejects.toThrow('stopped by hand')
    }
  })

  test('L20 an abort is told by its reason, whatever the transport makes of it', async () => {
    const ends = [
      (body: ReadableStreamDefaultController<Uint8Array>) => body.error(new TypeError('network error')),
      (body: ReadableStreamDefaultController<Uint8Array>) => body.close(),
    ]
    for (const end of ends) {
      const controller = new AbortController()
      const fetch = fetchOf((_, { signal }) => {
        const start = (body: ReadableStreamDefaultController<Uint8Array>) => {
          body.enqueue(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"ok"}}]}\n\n'))
          signal?.addEventListener('abort', () => end(body))
        }
        return new Response(new ReadableStream({ start }))
      })
      const stream = openaiChat({ baseUrl: 'https://v.example/v1', fetch }).stream(ask({ signal: controller.signal }))
      const chunks = stream[Symbol.asyncIterator]()
      await chunks.next()
      await chunks.next()
      const next = chunks.next()
      controller.abort(new Error('stopped by hand'))
      await expect(next).rejects.toThrow('stopped by hand')
    }
  })

  test('L20 what had arrived and was not read yet is not given after an abort', async () => {
    const controller = new AbortController()
    const stream = openaiChat({ baseUrl: 'https://v.example/v1', fetch: fetchOf(OK) })
      .stream(ask({ signal: controller.signal }))
      [Symbol.asyncIterator]()
    await stream.next()
    controller.abort(new Error('stopped by hand'))
    await expect(stream.next()).rejects.toThrow('stopped by hand')
  })

  const ticking = () => {
    const waiting = new Map<number, () => void>()
    let made = 0
    return {
      timers: {
        set: (callback: () => void) => {
          made += 1
          waiting.set(made, callback)
          return made
        },
        clear: (id: unknown) => waiting.delete(id as number),
      },
      get waiting() {
        return waiting.size
      },
      tick: () => {
        for (const [id, callback] of [...waiting]) {
          waiting.delete(id)
          callback()
        }
      },
    }
  }
  const streaming = () => {
    let push = (_: string) => {}
    const asked = gate()
    const fetch = fetchOf(() => {
      asked.arrive()
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          push = (words) => controller.enqueue(new TextEncoder().encode(`data: {"choices":[{"delta":{"content":"${words}"}}]}\n\n`))
        },
      })
      return new Response(stream)
    })
    return { fetch, asked: asked.reached, push: (words: string) => push(words) }
  }

  test('W11 a stream that goes quiet after its first byte is a transport failure; before that nothing is limited', async () => {
    const clock = ticking()
    const { fetch, asked, push } = streaming()
    const stream = openaiChat({ baseUrl: 'https://v.example/v1', fetch, stallMs: 90_000, timers: clock.timers })
      .stream(ask())
      [Symbol.asyncIterator]()
    const first = stream.next()
    await asked
    expect(clock.waiting).toBe(0)
    push('a')
    await first
    await stream.next()
    const quiet = stream.next()
    for (let tick = 0; tick < 10; tick += 1) clock.tick()
    expect(clock.waiting).toBe(1)
    clock.tick()
    await expect(quiet).rejects.toMatchObject({
      failure: { class: 'transport', code: 'stalled', transient: true },
      message: expect.stringContaining('90 s'),
    })
    expect(clock.waiting).toBe(0)
  })

  test('W11 every byte starts the count anew, and an end stops it', async () => {
    const clock = ticking()
    const { fetch, asked, push } = streaming()
    const stream = openaiChat({ baseUrl: 'https://v.example/v1', fetch, timers: clock.timers }).stream(ask())[Symbol.asyncIterator]()
    const first = stream.next()
    await asked
    push('a')
    await first
    await stream.next()
    for (let round = 0; round < 3; round += 1) {
      const next = stream.next()
      for (let tick = 0; tick < 9; tick += 1) clock.tick()
      push('b')
      expect((await next).value).toEqual({ type: 'text-delta', index: 0, text: 'b' })
    }
    await stream.return?.(undefined)
    expect(clock.waiting).toBe(0)
  })

  test('W13 an effort that the model does not have is refused before the request', async () => {
    let asked = 0
    const fetch = fetchOf(() => {
      asked += 1
      return OK()
    })
    expect(await failureOf(openaiChat({ baseUrl: 'https://v.example/v1', fetch }), ask({ model: 'o3', effort: 'extreme' }))).toMatchObject({
      message: 'The model o3 has no effort level "extreme". It has: low, medium, high.',
    })
    expect(asked).toBe(0)
  })

  test('W13 pictures are read from the blob store, once each, and not at all for a model without sight', async () => {
    const bodies: string[] = []
    const read: string[] = []
    const options = {
      baseUrl: 'https://v.example/v1',
      fetch: fetchOf((_, init) => {
        bodies.push(String(init.body))
        return OK()
      }),
      readBlob: async (blob: string) => {
        read.push(blob)
        return blob === 'gone' ? undefined : Uint8Array.of(105, 109, 103, 33)
      },
    }
    const image = (blob: string) => ({ type: 'image' as const, blob, mediaType: 'image/png' })
    const request = ask({ messages: [{ role: 'user', content: [image('b1'), image('b1'), image('gone')] }] })
    await collect(openaiChat(options), request)
    expect(bodies[0]).toContain('data:image/png;base64,aW1nIQ==')
    expect(bodies[0]).toContain('not stored any more')
    expect(read).toEqual(['b1', 'gone'])
    await collect(openaiChat({ ...options, info: () => ({ images: false }) }), request)
    expect(bodies[1]).toContain('cannot see pictures')
    expect(read).toHaveLength(2)
  })

  test('W9 calls as text are read for a model that may write them', async () => {
    const markup = '<tool_call>{\\"name\\":\\"read\\",\\"arguments\\":{}}</tool_call>'
    const fetch = fetchOf(
      () => new Response(`data: {"choices":[{"delta":{"content":"${markup}"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`),
    )
    const tools = [{ name: 'read', description: '', parameters: { type: 'object' } }]
    const kinds = async (textCalls: boolean) =>
      (await collect(openaiChat({ baseUrl: 'https://v.example/v1', fetch, info: () => ({ textCalls }) }), ask({ tools }))).map(
        ({ type }) => type,
      )
    expect(await kinds(true)).toContain('tool-call-delta')
    expect(await kinds(false)).not.toContain('tool-call-delta')
  })

  test('W12 a known model is known by its dated name and through a gateway, an unknown one works', () => {
    const { info } = openaiChat({ baseUrl: 'https://v.example/v1' })
    expect(info?.('p', 'gpt-4o-2024-08-06')).toMatchObject({
      contextWindow: 128_000,
      prices: { input: 2.5, asOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    })
    expect(info?.('p', 'openai/gpt-4o')).toMatchObject({ contextWindow: 128_000 })
    expect(info?.('p', 'openai/gpt-4o')).not.toHaveProperty('prices')
    expect(info?.('p', 'gpt-oss:20b')).toMatchObject({ tools: true })
    expect(info?.('p', 'my-own-model')).toBe(undefined)
    expect(info?.('p', 'constructor')).toBe(undefined)
  })
})
