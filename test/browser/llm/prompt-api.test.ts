// H9 The browser's built-in model: the page has it, the agent's worker asks for it, over a real worker and a real port.
import { afterEach, describe, expect, test } from 'vitest'
import { type Client, connect } from '../../../src/worker/client/connect.ts'
import { offerBuiltInModel } from '../../../src/worker/client/offer-built-in-model.ts'
import { downloadLanguageModel, findLanguageModel } from '../../../src/worker/client/prompt-api.ts'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import { type FakeReply, fakeLanguageModel } from '../../kit/fake-language-model.ts'
import { gate } from '../../kit/gate.ts'

const OPTIONS = { provider: 'built-in', model: 'built-in' }
/** A busy machine is no failure. */
const PATIENT = { timeout: 20_000 }
const clients: Client[] = []
const started = async () => {
  const start = () => new Worker(new URL('../../../src/worker/host/entries/browser.worker.ts', import.meta.url), { type: 'module' })
  const client = await connect(start, { startTimeoutMs: 45_000 })
  clients.push(client)
  return client
}
const talk = async (
  replies: readonly FakeReply[],
  more: { readonly onDownload?: (loaded: number) => void; readonly window?: number } = {},
) => {
  const api = fakeLanguageModel(replies, more.window)
  const client = await started()
  const takeBack = await offerBuiltInModel(client, api, more.onDownload === undefined ? {} : { onDownload: more.onDownload })
  const session = await client.sessions.create({ options: OPTIONS })
  return { api, client, session, takeBack }
}
/** What the log says at the end of the turn. */
const turnOf = async (session: ClientSession, after = -1) => {
  for await (const event of session.events({ after })) if (event.type === 'turn/end') return event.data
  throw new Error('The session was closed')
}
const textOf = ({ view }: ClientSession): string => JSON.stringify(view.transcript)

describe('the built-in model, asked from a worker', { timeout: 60_000 }, () => {
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close()
  })

  test('H9 it is among the models once the page has offered it, and its words stream into the session', async () => {
    const here = gate()
    const { api, client, session } = await talk([{ chunks: ['Grü', here, 'ße 👋'] }, { chunks: ['Again.'] }])
    expect(await client.host.models.list({})).toContainEqual(expect.objectContaining(OPTIONS))
    await session.send('Say hello')
    await here.reached
    expect(
      await new Promise((resolve) => {
        const look = () => textOf(session).includes('"Grü"') && resolve('seen before the end')
        session.subscribe(look)
        look()
      }),
    ).toBe('seen before the end')
    here.open()
    expect(await turnOf(session)).toMatchObject({ reason: { kind: 'completed' } })
    expect(textOf(session)).toContain('Grüße 👋')
    await session.send('And again')
    await expect.poll(() => textOf(session), PATIENT).toContain('Again.')
    expect(api.asked[1]).toMatchObject({
      initial: [{ role: 'system' }, { role: 'user', content: 'Say hello' }, { role: 'assistant', content: 'Grüße 👋' }],
      input: [{ role: 'user', content: 'And again' }],
    })
    expect(api.alive).toBe(0)
  })

  test('H9 the download is told on the page', async () => {
    const seen: number[] = []
    const { session } = await talk([{ chunks: ['ok'], download: [0, 0.5, 1] }], { onDownload: (loaded) => seen.push(loaded) })
    await session.send('hi')
    await turnOf(session)
    expect(seen).toEqual([0, 0.5, 1])
  })

  test('L20 a stop ends the model’s work on the page, and lets its session go', async () => {
    const here = gate()
    const { api, session } = await talk([{ chunks: ['par', here, 'not any more'] }])
    await session.send('go')
    await here.reached
    await session.cancel('stopped by hand')
    expect(await turnOf(session)).toMatchObject({ reason: { kind: 'aborted' } })
    await expect.poll(() => api.alive, PATIENT).toBe(0)
    here.open()
    expect(textOf(session)).not.toContain('not any more')
  })

  test('W10 what the browser refuses is told with what to do', async () => {
    const { session } = await talk([{ chunks: [], refuses: new DOMException('A user gesture is required.', 'NotAllowedError') }])
    await session.send('go')
    expect(await turnOf(session)).toMatchObject({ reason: { kind: 'error' } })
    expect(textOf(session)).toContain('wants a click')
  })

  test('H9 a page without such a model offers none', async () => {
    const { api, client } = await talk([])
    const other = await started()
    expect(await other.host.models.list({})).not.toContainEqual(expect.objectContaining(OPTIONS))
    expect(await offerBuiltInModel(other, findLanguageModel({}))).toBe(undefined)
    expect(await client.host.models.list({})).toContainEqual(expect.objectContaining(OPTIONS))
    expect(api.alive).toBe(0)
  })

  test('H9 it is looked for and not taken for granted; a download can be begun from a click', async () => {
    const api = fakeLanguageModel([{ chunks: [], download: [1] }])
    expect(findLanguageModel({})).toBe(undefined)
    expect(findLanguageModel({ LanguageModel: {} })).toBe(undefined)
    expect(findLanguageModel({ LanguageModel: api })).toBe(api)
    const seen: number[] = []
    await downloadLanguageModel(api, { onDownload: (loaded) => seen.push(loaded), signal: AbortSignal.timeout(5000) })
    expect([seen, api.alive]).toEqual([[1], 0])
  })
})
