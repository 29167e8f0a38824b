// Databases as released versions wrote them: they open, migrate, read as they were, and are written on (S6).
import { deleteDB, openDB } from 'idb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commands } from 'vitest/browser'
import { MIGRATIONS } from '../../../src/storage/idb/migrations.ts'
import { openIdbStorage } from '../../../src/storage/idb/open-idb-storage.ts'
import { databaseName } from '../../../src/storage/idb/schema.ts'
import { repairEvents } from '../../../src/storage/log/repair.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { eventOf } from '../../contract/session-samples.ts'
import { type DatabaseDump, dumpDatabase, restoreDatabase, sampleKey } from '../../databases/database-dump.ts'
import { readSample, writeSample } from '../../databases/sample-content.ts'
import { freshNamespace } from './idb-harness.ts'

type Fixture = { readonly database: DatabaseDump; readonly reads: Awaited<ReturnType<typeof readSample>> }

const texts = import.meta.glob<string>('../../databases/v*.dump', { eager: true, query: '?raw', import: 'default' })
const fixtures = Object.values(texts).map((text): Fixture => JSON.parse(text))

let namespace = ''
const opened: Stores[] = []
const open = (): Stores => {
  const stores = openIdbStorage({ namespace })
  opened.push(stores)
  return stores
}

beforeEach(() => {
  namespace = freshNamespace()
})
afterEach(async () => {
  for (const stores of opened.splice(0)) stores.close()
  await deleteDB(databaseName(namespace))
})

it('S6 every version of the database has a fixture', async () => {
  const version = MIGRATIONS.length
  const versions = fixtures.map(({ database }) => database.version).sort((a, b) => a - b)
  if (!versions.includes(version)) {
    await open().ready()
    const raw = await openDB(databaseName(namespace))
    await raw.put('keys', { name: 'secrets', key: await sampleKey() })
    raw.close()
    await writeSample(open())
    const database = await dumpDatabase(databaseName(namespace))
    await commands.writeFile(`test/databases/v${version}.dump`, `${JSON.stringify({ database, reads: await readSample(open()) })}\n`)
  }
  expect(versions, `test/databases/v${version}.dump was missing and is written now: look at it, and keep it for ever`).toContain(version)
  expect(versions).toEqual(Array.from({ length: version }, (_, i) => i + 1))
})

describe.each(fixtures.map((fixture) => [fixture.database.version, fixture] as const))(
  'a database of version %i',
  (version, { database, reads }) => {
    beforeEach(() => restoreDatabase(databaseName(namespace), database))

    it('S6 opens, becomes one of this version, and reads as it was', async () => {
      expect(await indexedDB.databases()).toContainEqual({ name: databaseName(namespace), version })
      expect(await readSample(open())).toEqual(reads)
      expect(await indexedDB.databases()).toContainEqual({ name: databaseName(namespace), version: MIGRATIONS.length })
      expect(await readSample(open()), 'and once more').toEqual(reads)
    })

    it('S6 has something in every store', () => {
      for (const { name, rows } of database.stores) expect(rows.length, name).toBeGreaterThan(0)
    })

    it('S6 S8 is written on: its sessions are claimed, repaired, merged and grow', async () => {
      const { sessions } = open()
      for (const { id, nextSeq } of await sessions.list({})) {
        const { epoch } = await sessions.claim(id)
        const before = await sessions.read(id, { after: -1 })
        const more = [...repairEvents(before)]
        const noted = eventOf(nextSeq + more.length, 'plugin/noted', { plugin: 'test', data: 'still here' })
        await sessions.commit({ sessionId: id, epoch, events: [...more, noted] }, 'strict')
        for (let from = 0, goOn = true; goOn; ) ({ from, more: goOn } = await sessions.merge(id, { epoch, from }))
        expect(await sessions.read(id, { after: -1 })).toEqual([...before, ...more, noted])
      }
    })

    it('S13 a session of it is deleted with what it owns', async () => {
      const stores = open()
      await stores.whole.remove('talk')
      expect(await stores.sessions.get('talk')).toBeUndefined()
      expect(await stores.files.list('talk', '/')).toEqual([])
      expect(await stores.files.list('cut', '/')).toHaveLength(1)
    })
  },
)
