// What one transaction promises: all or nothing, and nobody waits in it for anything else (S5; P-e01).
import type { IDBPDatabase } from 'idb'
import { deleteDB, openDB } from 'idb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../../src/storage/idb/migrations.ts'
import type { SideloopSchema } from '../../../src/storage/idb/schema.ts'
import { databaseName } from '../../../src/storage/idb/schema.ts'
import type { Work } from '../../../src/storage/idb/transact.ts'
import { transact } from '../../../src/storage/idb/transact.ts'
import { expectCode } from '../../contract/expect-code.ts'
import { freshNamespace } from './idb-harness.ts'

type Settings = readonly ['settings']

let name = ''
let db: IDBPDatabase<SideloopSchema>

beforeEach(async () => {
  name = databaseName(freshNamespace())
  db = await openDB<SideloopSchema>(name, 1, { upgrade: (fresh, _old, _new, tx) => MIGRATIONS[0]!(fresh, tx) })
})
afterEach(async () => {
  db.close()
  await deleteDB(name)
})

const write = <T>(work: Work<Settings, 'readwrite', T>): Promise<T> =>
  transact(db, { stores: ['settings'], mode: 'readwrite', durability: 'relaxed' }, work)
const names = async (): Promise<readonly string[]> => await db.getAllKeys('settings')
const setting = (key: string): { readonly name: string; readonly value: number } => ({ name: key, value: 1 })

describe('a transaction', () => {
  it('gives the value of its last request, after it is complete', async () => {
    const value = await write((tx, steps) => {
      steps.also(tx.objectStore('settings').put(setting('a')))
      return steps.after(tx.objectStore('settings').get('a'), (row) =>
        steps.after(tx.objectStore('settings').count(), (count) => [row?.name, count]),
      )
    })
    expect(value).toEqual(['a', 1])
  })

  it('P-e01 S5 refuses a callback that awaits something foreign, and stores nothing of it', async () => {
    await expectCode(
      write(async (tx) => {
        await tx.objectStore('settings').put(setting('a'))
        await new Promise((resolve) => setTimeout(resolve))
        await tx.objectStore('settings').put(setting('b'))
      }),
      'internal',
    )
    expect(await names()).toEqual([])
  })

  it('P-e01 S5 refuses a foreign promise between two requests, and stores nothing', async () => {
    await expectCode(
      write((tx, steps) => {
        steps.also(tx.objectStore('settings').put(setting('a')))
        return steps.after(crypto.subtle.digest('SHA-256', new Uint8Array(3)), () => tx.objectStore('settings').put(setting('b')))
      }),
      'internal',
    )
    await expectCode(
      write((tx, steps) =>
        steps.after(tx.objectStore('settings').put(setting('a')), async () => {
          await tx.objectStore('settings').put(setting('b'))
        }),
      ),
      'internal',
    )
    expect(await names()).toEqual([])
  })

  it('S5 what its work throws rejects the caller as it is, and stores nothing', async () => {
    const thrown = new Error('stop')
    const early = write((tx, steps) => {
      steps.also(tx.objectStore('settings').put(setting('a')))
      throw thrown
    })
    await expect(early).rejects.toBe(thrown)
    const late = write((tx, steps) =>
      steps.after(tx.objectStore('settings').put(setting('a')), () => {
        throw thrown
      }),
    )
    await expect(late).rejects.toBe(thrown)
    expect(await names()).toEqual([])
  })

  it('S5 a request that fails rejects the caller with its own reason, and stores nothing', async () => {
    await db.put('settings', setting('a'))
    const failing = write((tx, steps) => {
      steps.also(tx.objectStore('settings').put(setting('b')))
      steps.also(tx.objectStore('settings').add(setting('a')))
      steps.also(tx.objectStore('settings').put(setting('c')))
    })
    await expect(failing).rejects.toMatchObject({ name: 'ConstraintError' })
    expect(await names()).toEqual(['a'])
  })

  it('S5 one that the browser aborts rejects its caller, although every request had succeeded', async () => {
    const aborted = write((tx, steps) => steps.after(tx.objectStore('settings').put(setting('a')), () => tx.abort()))
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' })
    expect(await names()).toEqual([])
  })
})
