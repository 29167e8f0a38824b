// Model servers on this computer are found at their usual ports: only there, only when asked, and without harm to what else listens.
import { expect, test } from 'vitest'
import { type Answer, json, modelsWorld } from './models-world.ts'

const at =
  (answers: { readonly [start: string]: Answer }): Answer =>
  (asked) => {
    const start = Object.keys(answers).find((each) => asked.url.startsWith(each))
    return start === undefined ? undefined : answers[start]?.(asked)
  }
const refuses: Answer = ({ init }) => (init.mode === 'no-cors' ? new Response() : undefined)

const search = async (answer: Answer, more: Parameters<typeof modelsWorld>[0] = {}) => {
  const { models, asked } = await modelsWorld({ answer, ...more })
  return { found: await models.findLocal({}), asked }
}

test('A1 nothing is asked before somebody wants it', async () => {
  const { asked, models } = await modelsWorld()
  await models.list({})
  await models.providers({})
  expect(asked).toEqual([])
})

test('A1 only this computer is asked, without cookies, key or referrer', async () => {
  const { asked, found } = await search(() => undefined)
  expect(found).toEqual({ servers: [], access: 'unknown' })
  expect(new Set(asked.map(({ url }) => new URL(url).hostname))).toEqual(new Set(['127.0.0.1', 'localhost']))
  for (const { init } of asked) expect(init).toMatchObject({ credentials: 'omit', referrerPolicy: 'no-referrer' })
  for (const { init } of asked) expect(init.headers).toBeUndefined()
})

test('A1 each server is told by its port and its own words, with its models', async () => {
  const { found } = await search(
    at({
      'http://127.0.0.1:11434/api/tags': () => json({ models: [{ name: 'qwen3:8b' }] }),
      'http://localhost:1234/v1/models': () => json({ data: [{ id: 'a' }, { id: 'b' }] }),
      'http://127.0.0.1:8080/v1/models': () => json({ data: [{ id: 'v', owned_by: 'vllm' }] }),
      'http://127.0.0.1:8000/v1/models': () => json({ error: 'key missing' }, 401),
    }),
  )
  expect(found.servers).toEqual([
    { kind: 'ollama', api: 'ollama', baseUrl: 'http://127.0.0.1:11434', state: 'answers', models: ['qwen3:8b'] },
    { kind: 'lm-studio', api: 'openai-chat', baseUrl: 'http://localhost:1234/v1', state: 'answers', models: ['a', 'b'] },
    { kind: 'vllm', api: 'openai-chat', baseUrl: 'http://127.0.0.1:8080/v1', state: 'answers', models: ['v'] },
    { kind: 'vllm', api: 'openai-chat', baseUrl: 'http://127.0.0.1:8000/v1', state: 'answers', models: [] },
  ])
})

test('A1 one that does not let this page read its answers is shown as that', async () => {
  const { found } = await search(at({ 'http://127.0.0.1:11434': refuses }))
  expect(found.servers).toMatchObject([{ kind: 'ollama', state: 'refuses', baseUrl: 'http://127.0.0.1:11434' }])
})

test('A1 what lists no models is no model server', async () => {
  const { found } = await search(
    at({
      'http://127.0.0.1:8080': () => new Response('<title>My site</title>'),
      'http://127.0.0.1:8000': () => json({ hello: 1 }),
      'http://127.0.0.1:1234': () => json({}, 404),
    }),
  )
  expect(found.servers).toEqual([])
})

test('A1 a browser that was told no is not asked again', async () => {
  const { found, asked } = await search(() => undefined, { localAccess: async () => 'denied' })
  expect(found).toEqual({ servers: [], access: 'denied' })
  expect(asked).toEqual([])
})

test('A1 a search that is stopped ends at once, and asks nothing more', async () => {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const { models, asked } = await modelsWorld({
    async answer({ init }) {
      arrive()
      await new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
      return undefined
    },
  })
  const search = models.findLocal({ attempt: 's' })
  await arrived
  const before = asked.length
  await models.stop({ attempt: 's' })
  await expect(search).rejects.toThrow()
  expect(asked.length).toBe(before)
})
