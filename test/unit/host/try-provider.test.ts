// A test of a provider that fails says why, in words that a person can do something with.
import { describe, expect, test } from 'vitest'
import { gate } from '../../kit/gate.ts'
import { draft, html, json, modelsWorld, PAGE } from './models-world.ts'

const LOCAL = draft({ baseUrl: 'http://127.0.0.1:8080/v1' })
const isOpaque = (init: RequestInit): boolean => init.mode === 'no-cors'

const failure = async (given: Parameters<typeof modelsWorld>[0], provider = draft()) => {
  const { models } = await modelsWorld(given)
  const probe = await models.test({ provider })
  if (probe.ok) throw new Error('It answered')
  return probe
}

describe('W10 what the server says', () => {
  test.each([
    [
      'a wrong key',
      json({ error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }, 401),
      'auth',
      'The key was not accepted',
    ],
    ['no credit', json({ error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }, 429), 'quota', 'used up'],
    [
      'an unknown model',
      json({ error: { message: 'The model `m` does not exist', code: 'model_not_found' } }, 404),
      'provider',
      'does not know this model',
    ],
    ['a page instead of an interface', html(200), 'protocol', 'Check the base URL'],
    ['a page that says not found', html(404), 'provider', 'Nothing answers at this address'],
    ['an interface of another kind', json({ detail: 'Not Found' }, 404), 'provider', 'Nothing answers at this address'],
    ['JSON that is no reply', json({ hello: 'world' }), 'protocol', ''],
  ])('%s', async (_what, response, kind, words) => {
    const probe = await failure({ answer: () => response })
    expect(probe.class).toBe(kind)
    expect(probe.message).toContain(words)
  })

  test('a list that is none is told as that', async () => {
    const { models } = await modelsWorld({ answer: () => json({ hello: 'world' }) })
    expect(await models.discover({ provider: draft() })).toMatchObject({
      ok: false,
      code: 'no-model-list',
      message: expect.stringMatching(/has no list of models/),
    })
  })

  test('no models in the list, and none named: there is nothing to ask', async () => {
    const probe = await failure({ answer: () => json({ data: [{ id: 'text-embedding-3' }] }) }, draft({ models: [] }))
    expect(probe.message).toContain('lists no models that chat')
  })
})

describe('W10 what a browser hides', () => {
  test('a server that is there and lets this page read nothing is told from one that is not there', async () => {
    const refused = await failure({ answer: ({ init }) => (isOpaque(init) ? new Response() : undefined) }, LOCAL)
    expect(refused).toMatchObject({ class: 'transport', code: 'origin-refused' })
    expect(refused.message).toContain(`127.0.0.1:8080 answers, but does not let pages from ${PAGE} read`)
    expect(await failure({}, LOCAL)).toMatchObject({
      code: 'not-running',
      message: expect.stringMatching(/^Nothing answers at 127\.0\.0\.1:8080\. Start the server/),
    })
  })

  test('the question whether it is there carries no key, no cookie and no referrer', async () => {
    const { models, asked } = await modelsWorld()
    await models.test({ provider: { ...LOCAL, key: 'sk-1' } })
    const opaque = asked.filter(({ init }) => isOpaque(init))
    expect(opaque).toHaveLength(1)
    expect(opaque[0]?.init).toMatchObject({ credentials: 'omit', referrerPolicy: 'no-referrer' })
    expect(JSON.stringify(opaque)).not.toContain('sk-1')
  })

  test('a vendor that refuses browsers, and one that does not answer', async () => {
    const refused = await failure({ answer: ({ init }) => (isOpaque(init) ? new Response() : undefined) })
    expect(refused).toMatchObject({ code: 'origin-refused', message: expect.stringMatching(/OpenRouter/) })
    expect(await failure({})).toMatchObject({ code: 'unreachable', message: expect.stringMatching(/No answer from v\.example/) })
  })

  test('mixed content, offline, a policy and a permission are told by what they are', async () => {
    const insecure = draft({ baseUrl: 'http://models.lan:8000/v1' })
    expect(await failure({}, insecure)).toMatchObject({ code: 'mixed-content', message: expect.stringMatching(/plain http/) })
    expect(await failure({ online: () => false })).toMatchObject({ code: 'offline', message: expect.stringMatching(/offline/) })
    const here = { origin: 'http://127.0.0.1:5000' }
    expect(await failure({ ...here, isBlocked: (origin) => origin === 'http://models.lan:8000' }, insecure)).toMatchObject({
      code: 'blocked-by-policy',
      message: expect.stringMatching(/content policy of this page/),
    })
    expect(await failure({ localAccess: async () => 'denied' }, LOCAL)).toMatchObject({
      code: 'local-network-denied',
      message: expect.stringMatching(/site settings/),
    })
  })
})

describe('a person stops it', () => {
  test('a test ends at once, and says only that', async () => {
    const held = gate()
    const { models } = await modelsWorld({
      async answer({ init }) {
        held.arrive()
        await new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
        return undefined
      },
    })
    const probe = models.test({ provider: draft(), attempt: 'one' })
    await held.reached
    await models.stop({ attempt: 'other' })
    await models.stop({ attempt: 'one' })
    expect(await probe).toMatchObject({ ok: false, code: 'stopped' })
    await models.stop({ attempt: 'one' })
  })
})
