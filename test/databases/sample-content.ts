// What a fixture is made of: something in every store, written by the stores themselves; and what is read back from it.
import type { SessionRow } from '../../src/storage/session-store.ts'
import type { Stores } from '../../src/storage/stores.ts'
import { delta, logOf, rowOf, START, waitingOf } from '../contract/session-samples.ts'
import { realisticLog } from '../unit/storage/realistic-log.ts'

/** The same choices in every run. */
const choices = (): ((max: number) => number) => {
  let state = 7
  return (max) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * (max + 1))
  }
}

const PIECES = ['plain ', '\ud83d', '\ude00', '\u0000', '', '日本', 'ÿ', '\r\n', '"']
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export const writeSample = async ({ sessions, files, blobs, settings, secrets }: Stores): Promise<void> => {
  const log = realisticLog(choices())
  const options = { provider: 'openai-mine', model: 'large', maxTokens: 1_000 }
  await sessions.create(rowOf('talk', { title: 'A talk', updatedAt: START + 5, turns: 2, cost: 0.25, options }))
  const talk = await sessions.claim('talk')
  for (let at = 0; at < log.length; at += 40)
    await sessions.commit({ sessionId: 'talk', epoch: talk.epoch, events: log.slice(at, at + 40) }, 'relaxed')

  await sessions.create(rowOf('cut', { title: 'Cut in a reply' }))
  const cut = await sessions.claim('cut')
  const inbox = [waitingOf('m2'), waitingOf('m3', 'step')]
  const patch = { status: 'running', turns: 1, held: true } as const
  await sessions.commit({ sessionId: 'cut', epoch: cut.epoch, events: logOf(200), inbox, patch }, 'relaxed')
  await sessions.commit({ sessionId: 'cut', epoch: cut.epoch, events: PIECES.map((piece, i) => delta(200 + i, piece)) }, 'strict')
  await sessions.create(rowOf('empty'))

  await files.write('talk', '/notes.md', bytes('# Notes'), { modifiedAt: START })
  await files.write('talk', '/notes.md', bytes('# Notes, once more'), { modifiedAt: START + 1 })
  await files.write('talk', '/a/same.txt', bytes('the same'), { modifiedAt: START + 2 })
  await files.write('cut', '/a/same.txt', bytes('the same'), { modifiedAt: START + 3 })
  await blobs.put(Uint8Array.of(0, 1, 254, 255), 'talk')
  await blobs.put(bytes('the same'), 'talk')
  await settings.set('theme', 'dark')
  await settings.set('providers', [{ id: 'openai-mine', models: ['large'] }])
  await secrets.set('provider/openai-mine', 'sk-sample')
}

type Read = {
  readonly sessions: readonly { readonly row: SessionRow | undefined; readonly events: unknown; readonly waiting: unknown }[]
  readonly files: unknown
  readonly blobs: unknown
  readonly settings: unknown
  readonly secrets: unknown
}

const textOf = (content: Uint8Array | undefined): string | undefined => content && new TextDecoder().decode(content)

/** All that a reader of the ports sees of it, as JSON. */
export const readSample = async ({ sessions, files, blobs, settings, secrets }: Stores): Promise<Read> => {
  const rows = await sessions.list({})
  const ids = rows.map(({ id }) => id).sort()
  const read: Read = {
    sessions: await Promise.all(
      ids.map(async (id) => ({
        row: await sessions.get(id),
        events: await sessions.read(id, { after: -1 }),
        waiting: await sessions.waiting(id),
      })),
    ),
    files: await Promise.all(
      ids.map(async (id) => {
        const entries = await files.list(id, '/')
        return Promise.all(entries.map(async (entry) => ({ ...entry, text: textOf((await files.read(id, entry.path))?.bytes) })))
      }),
    ),
    blobs: await Promise.all(['the same', '\u0000'].map(async (text) => textOf(await blobs.get(await blobs.put(bytes(text), 'reader'))))),
    settings: [await settings.get('theme'), await settings.get('providers')],
    secrets: [await secrets.names(), await secrets.get('provider/openai-mine')],
  }
  return JSON.parse(JSON.stringify(read))
}
