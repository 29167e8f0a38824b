// The scripted server of the test kit (K2), asked with plain fetch over real HTTP.
import { afterEach, describe, expect, test } from 'vitest'
import { gate } from '../../kit/gate.ts'
import { disconnect, hang, reasoning, text, toolCall } from '../../kit/replies.ts'
import { type Behaviour, type ScriptedServer, type ScriptedServerOptions, startScriptedServer } from '../../kit/scripted-server.ts'
import { answersWhole, corsRefused, rateLimited, sendsBytes, streams } from '../../kit/server-replies.ts'

const servers: ScriptedServer[] = []
const start = async (behaviours: readonly Behaviour[], options?: ScriptedServerOptions): Promise<ScriptedServer> => {
  const server = await startScriptedServer(behaviours, options)
  servers.push(server)
  return server
}
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
const ask = (server: ScriptedServer, signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
    body: JSON.stringify({ model: 'm', stream: true }),
    ...(signal === undefined ? {} : { signal }),
  })

describe('K2 the scripted server', () => {
  test('K2 streams a reply of parts and keeps what it was asked', async () => {
    const server = await start([streams(reasoning('hm'), text('ok', { chunks: ['o', 'k'] }), toolCall('echo', { text: 'x' }, 'c1'))])
    const body = await (await ask(server)).text()
    const events = body.split('\n\n').filter((line) => line !== '')
    expect(events.at(-1)).toBe('data: [DONE]')
    expect(events.filter((line) => line.includes('"content":"o"') || line.includes('"content":"k"'))).toHaveLength(2)
    expect(body).toContain('"reasoning_content":"hm"')
    expect(body).toContain('"finish_reason":"tool_calls"')
    expect(body).toContain('"prompt_tokens":10')
    expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions', body: { model: 'm', stream: true } })
    expect(server.requests[0]?.headers.authorization).toBe('Bearer k')
  })

  test('K2 is driven step by step: what comes after a gate waits for it', async () => {
    const here = gate()
    const server = await start([streams(text('ab', { chunks: ['a', here, 'b'] }))])
    const reader = (await ask(server)).body!.getReader()
    let seen = ''
    const readOn = async (until: string) => {
      while (!seen.includes(until)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`ended before ${until}: ${seen}`)
        seen += new TextDecoder().decode(value)
      }
    }
    await readOn('"content":"a"')
    await here.reached
    expect(seen).not.toContain('"content":"b"')
    here.open()
    await readOn('[DONE]')
  })

  test('K2 stalls until the client leaves, and tells that it left', async () => {
    const server = await start([streams(text('par'), hang())])
    const controller = new AbortController()
    const response = await ask(server, controller.signal)
    await response.body!.getReader().read()
    controller.abort()
    expect(await (await server.request(1)).closed).toBe('abandoned')
  })

  test('K2 resets the connection in the middle of a stream', async () => {
    const server = await start([streams(text('par'), disconnect())])
    const response = await ask(server)
    await expect(response.text()).rejects.toThrow()
  })

  test('K2 sends any bytes, cut where the test says', async () => {
    const server = await start([
      sendsBytes('grüße', { cuts: 'every-byte' }),
      sendsBytes('data: x', { contentType: 'text/plain', status: 202 }),
    ])
    expect(await (await ask(server)).text()).toBe('grüße')
    expect((await ask(server)).status).toBe(202)
  })

  test('K2 answers with refusals, limits and whole completions', async () => {
    const server = await start([rateLimited(7), corsRefused(), answersWhole(text('all of it'))])
    const limited = await ask(server)
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7'])
    expect((await ask(server)).headers.get('access-control-allow-origin')).toBe(null)
    expect(await (await ask(server)).json()).toMatchObject({ choices: [{ message: { content: 'all of it' } }] })
  })

  test('K2 allows the two headers of the vendor in a preflight and lists its models', async () => {
    const server = await start([], { models: ['a', 'b'] })
    const preflight = await fetch(`${server.baseUrl}/chat/completions`, { method: 'OPTIONS' })
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, content-type')
    expect(await (await fetch(`${server.baseUrl}/models`)).json()).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }] })
    expect(server.preflights).toHaveLength(1)
    expect(server.requests).toHaveLength(0)
  })

  test('K2 a request beyond the script is a loud 400', async () => {
    const server = await start([])
    const response = await ask(server)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('script is exhausted: request 1')])
  })
})
