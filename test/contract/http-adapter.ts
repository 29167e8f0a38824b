// The suite of adapters over HTTP, for a real browser and real streaming: every vendor runs it.
import { afterEach, describe, expect, test } from 'vitest'
import { commands } from 'vitest/browser'
import type { Chunk } from '../../src/storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest } from '../../src/worker/hooks/llm.ts'
import { retry } from '../../src/worker/plugins/retry/retry.ts'
import { defineTool } from '../../src/worker/tools/define-tool.ts'
import { finishError, hang, type Part, text, toolCall, usage } from '../kit/replies.ts'
import type { ScriptedAnswer } from '../kit/server-commands.ts'
import { dataOf, testRuntime } from '../kit/test-runtime.ts'
import type { StreamingVendor } from '../kit/vendor-streams.ts'

export type HttpAdapterSubject = {
  readonly vendor: StreamingVendor
  readonly adapter: (origin: string) => LlmAdapter
  readonly model: string
  /** Thinking with what this vendor adds to it. */
  readonly reasoning: Part
  /** Of the body of the next request: what stands between the person's word and the result. */
  readonly replayed: (body: unknown) => unknown
  /** That, for the reasoning above followed by a call of `read` with the id `c1` and the arguments `{"path":"a"}`. */
  readonly replay: unknown
}

export const httpAdapterSuite = ({ vendor, adapter, model, reasoning, replayed, replay }: HttpAdapterSubject): void => {
  const running: number[] = []
  const start = async (...answers: readonly ScriptedAnswer[]) => {
    const server = await commands.startServer(answers)
    running.push(server.id)
    return { ...server, adapter: adapter(server.origin) }
  }
  const streams = (...parts: readonly Part[]): ScriptedAnswer => ({ does: 'streams', as: vendor, parts })
  const ask = (signal?: AbortSignal): LlmRequest => ({
    provider: 'p',
    model,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    ...(signal === undefined ? {} : { signal }),
  })
  const collect = async (from: LlmAdapter): Promise<Chunk[]> => {
    const into: Chunk[] = []
    for await (const chunk of from.stream(ask())) into.push(chunk)
    return into
  }
  const textOf = (chunks: readonly Chunk[]) => chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.text : '')).join('')
  const agentOver = (served: LlmAdapter) => {
    const { runtime } = testRuntime([])
    const waited: number[] = []
    runtime.use(retry({ random: () => 0, wait: async (ms) => void waited.push(ms) }))
    runtime.llm.registerAdapter(['p'], served)
    runtime.tools.register(
      defineTool({ name: 'read', description: 'Reads.', parameters: { path: { type: 'string', required: true } }, execute: () => 'alpha' }),
    )
    return { agent: runtime.agents.start('a', { provider: 'p', model }), waited }
  }

  describe(`the adapter for ${vendor} in a browser, over HTTP`, () => {
    afterEach(async () => {
      for (const id of running.splice(0)) await commands.stopServer(id)
    })

    test('W1 a reply streams: its pieces, its call, its counts', async () => {
      const { id, adapter: served } = await start(
        streams(reasoning, text('Grüße 👋', { chunks: ['Grü', 'ße ', '👋'] }), toolCall('read', { path: 'a' }, 'c1'), usage(7, 3)),
      )
      const chunks = await collect(served)
      expect(textOf(chunks)).toBe('Grüße 👋')
      expect(chunks.flatMap((chunk) => (chunk.type === 'block-end' ? [chunk.block] : []))).toMatchObject([
        { type: 'reasoning' },
        { type: 'text', text: 'Grüße 👋' },
        { type: 'tool-call', id: 'c1', name: 'read', arguments: '{"path":"a"}' },
      ])
      expect(chunks.slice(-2)).toMatchObject([{ usage: { inputTokens: 7, outputTokens: 3 } }, { reason: { kind: 'tool-calls' } }])
      expect(await commands.requestEnd(id, 1)).toBe('answered')
    })

    test('L20 chunks come while the stream is open; an abort ends the call at once, and the server sees it', async () => {
      const { id, adapter: served } = await start(streams(text('par'), hang()))
      const controller = new AbortController()
      const seen: Chunk[] = []
      const call = (async () => {
        for await (const chunk of served.stream(ask(controller.signal))) {
          seen.push(chunk)
          if (chunk.type === 'text-delta') controller.abort(new Error('stopped by hand'))
        }
      })()
      await expect(call).rejects.toThrow('stopped by hand')
      expect(textOf(seen)).toBe('par')
      expect(await commands.requestEnd(id, 1)).toBe('abandoned')
    })

    test('W4 an error inside the stream is one, with its class; what had come is kept', async () => {
      const { adapter: served } = await start(streams(text('kept'), finishError('overloaded', 'Overloaded')))
      const chunks = await collect(served)
      expect(textOf(chunks)).toBe('kept')
      expect(chunks.at(-1)).toMatchObject({ reason: { kind: 'error', failure: { class: 'overloaded', transient: true } } })
    })

    test('W4 a connection that breaks in the middle is a transport failure; what had come is kept', async () => {
      const { id, adapter: served } = await start(streams(text('kept'), hang()))
      const seen: Chunk[] = []
      const call = (async () => {
        for await (const chunk of served.stream(ask())) {
          seen.push(chunk)
          // Not before it was read: a browser throws away what a broken connection had brought and nobody had read.
          if (chunk.type === 'text-delta') await commands.dropConnections(id)
        }
      })()
      await expect(call).rejects.toMatchObject({
        failure: { class: 'transport', code: 'connection-lost', transient: true },
      })
      expect(textOf(seen)).toBe('kept')
    })

    test('W10 a limit is waited for as long as the server asks, then the call is made again', async () => {
      const limited = { type: 'error', error: { type: 'rate_limit_error', code: 429, message: 'Too many requests' } }
      const { id, adapter: served } = await start(
        { does: 'fails', status: 429, body: limited, headers: { 'retry-after': '7' } },
        streams(text('ok')),
      )
      const { agent, waited } = agentOver(served)
      agent.send('go')
      await agent.whenIdle()
      expect(waited).toEqual([7000])
      expect(await commands.serverRequests(id)).toHaveLength(2)
      expect(dataOf(agent.session.events, 'assistant/message')).toMatchObject([{ content: [{ type: 'text', text: 'ok' }] }])
    })

    test('W5 the second request brings the reasoning back as this vendor wants it, with the call and its result', async () => {
      const { id, adapter: served } = await start(streams(reasoning, toolCall('read', { path: 'a' }, 'c1')), streams(text('Done.')))
      const { agent } = agentOver(served)
      agent.send('go')
      await agent.whenIdle()
      const [, second] = await commands.serverRequests(id)
      expect(replayed(second?.body)).toEqual(replay)
      expect(JSON.stringify(second?.body)).toContain('alpha')
      expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'completed' } }])
    })
  })
}
