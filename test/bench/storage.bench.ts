// B5 and B6 of design/performance.md: durable appends, bytes, and the flush barrier, beside raw IndexedDB in the same run.
import type { IDBPDatabase } from 'idb'
import { openDB } from 'idb'
import { expect, it } from 'vitest'
import { openIdbStorage } from '../../src/storage/idb/open-idb-storage.ts'
import { packEvents } from '../../src/storage/log/delta-runs.ts'
import type { SessionEvent } from '../../src/storage/log/events.ts'
import { freezeJson } from '../../src/storage/log/lossless-json.ts'
import type { Stores } from '../../src/storage/stores.ts'
import { eventOf, rowOf } from '../contract/session-samples.ts'
import { calibrate } from './calibration.ts'

const EVENTS = 100_000
const GROUP = 10
const WORDS =
  'the of a to in and is that it for on with as was at by an be this which or from but not are one all were when there can more if out so up what about time than into only other new some could these two may then do first any my now such like our over man me even most made after also did many before must through back years where much your way well down should because each just those people how too little state good very make world still own see men work long here get both between life being under never day same another know while last might us great old year off come since against go came right used take three'.split(
    ' ',
  )

/** Numbers that are the same in every run. */
const random = (() => {
  let state = 42
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
})()

/** A reply in prose, word by word, with the uneven times of a network: as the log makes them, frozen. */
const stream = (length: number): readonly SessionEvent[] => {
  let time = 1_700_000_000_000
  return Array.from({ length }, (_, seq) => {
    time += random(3) === 0 ? random(60) : 0
    const text = ` ${WORDS[random(WORDS.length)]}`
    const event = eventOf(seq, 'assistant/chunk', {
      turn: 1,
      step: 1 + Math.floor(seq / 5_000),
      chunk: { type: 'text-delta', index: 0, text },
    })
    return freezeJson({ ...event, time } as SessionEvent)
  })
}

const timed = async (work: () => Promise<unknown> | unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

const batches = (events: readonly SessionEvent[], size: number): readonly (readonly SessionEvent[])[] =>
  Array.from({ length: Math.ceil(events.length / size) }, (_, i) => events.slice(i * size, i * size + size))

type Bucket = { readonly indexedDB: IDBFactory; estimate(): Promise<{ usage?: number }> }
type Buckets = { open(name: string): Promise<Bucket> }

/** A store of its own on disk, whose bytes can be asked for. */
const inBucket = async <T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly bytes: number }> => {
  const { storageBuckets } = navigator as Navigator & { readonly storageBuckets: Buckets }
  const bucket = await storageBuckets.open(`bench-${Date.now()}-${random(1_000_000)}`)
  const original = Object.getOwnPropertyDescriptor(globalThis, 'indexedDB')!
  Object.defineProperty(globalThis, 'indexedDB', { configurable: true, value: bucket.indexedDB })
  try {
    const value = await work()
    return { value, bytes: (await bucket.estimate()).usage ?? 0 }
  } finally {
    Object.defineProperty(globalThis, 'indexedDB', original)
  }
}

const opened = async (): Promise<{ readonly stores: Stores; readonly epoch: number }> => {
  const stores = openIdbStorage({ namespace: 'bench' })
  await stores.sessions.create(rowOf('s1'))
  return { stores, epoch: (await stores.sessions.claim('s1')).epoch }
}

const rawDatabase = (): Promise<IDBPDatabase> =>
  openDB('raw', 1, { upgrade: (db) => void db.createObjectStore('rows', { autoIncrement: true }) })

const mergeAll = async ({ sessions }: Stores, epoch: number): Promise<void> => {
  for (let from = 0, more = true; more; ) ({ from, more } = await sessions.merge('s1', { epoch, from }))
}

type Figures = { readonly write: number; readonly merge: number; readonly read: number }

/** Commits one after another, as a window does that is never empty; then merges what they left, and reads it all back. */
const ours = (events: readonly SessionEvent[], size: number): Promise<{ value: Figures; bytes: number }> =>
  inBucket(async () => {
    const { stores, epoch } = await opened()
    const write = await timed(async () => {
      for (const batch of batches(events, size))
        await stores.sessions.commit({ sessionId: 's1', epoch, events: batch, patch: { updatedAt: 1 } }, 'relaxed')
    })
    const merge = await timed(() => mergeAll(stores, epoch))
    let count = 0
    const read = await timed(async () => {
      count = (await stores.sessions.read('s1', { after: -1 })).length
    })
    expect(count).toBe(events.length)
    stores.close()
    return { write, merge, read }
  })

const raw = (
  events: readonly SessionEvent[],
  size: number,
  pack: (batch: readonly SessionEvent[]) => unknown,
): Promise<{ value: number; bytes: number }> =>
  inBucket(async () => {
    const db = await rawDatabase()
    const write = await timed(async () => {
      for (const batch of batches(events, size)) {
        const tx = db.transaction('rows', 'readwrite', { durability: 'relaxed' })
        void tx.store.add(pack(batch))
        await tx.done
      }
    })
    db.close()
    return write
  })

it('B5 and B6: durable appends and the flush barrier', async () => {
  const events = stream(EVENTS)
  const calibration = calibrate() / 1_000
  const lines: string[] = []
  const line = (what: string, ms: number, count: number, bytes?: number): void => {
    const perEvent = ms / count
    const size = bytes === undefined ? '' : `${(bytes / 1e6).toFixed(2)} MB`
    lines.push(
      `${what.padEnd(44)} ${Math.round(count / (ms / 1_000))
        .toLocaleString('en')
        .padStart(10)}/s ${(perEvent / calibration).toFixed(2).padStart(8)} × ${size.padStart(9)}`,
    )
  }

  await ours(stream(5_000), 500)
  const one = await raw(events.slice(0, 2_000), 1, (batch) => batch)
  const objects = await raw(events, 500, (batch) => batch)
  const packed = await raw(events, 500, packEvents)
  const small = await ours(events, 500)
  const window = await ours(events, 10_000)
  const slow = await ours(events, 12)
  line('raw, one event a transaction', one.value, 2_000)
  line('raw, 500 objects a segment', objects.value, EVENTS, objects.bytes)
  line('raw, 500 packed a segment', packed.value, EVENTS, packed.bytes)
  line('B5 commits of 500 events', small.value.write, EVENTS, small.bytes)
  line('B5 commits of 10,000 events (a full window)', window.value.write, EVENTS, window.bytes)
  line('   reading all of it back, checked and frozen', window.value.read, EVENTS)
  line('   commits of 12 events, as of a slow model', slow.value.write, EVENTS, slow.bytes)
  line('   merging those', slow.value.merge, EVENTS)
  line('   reading those, merged', slow.value.read, EVENTS)
  const json = JSON.stringify(packEvents(events)).length / JSON.stringify(events).length

  const barrier = await inBucket(async () => {
    const { stores, epoch } = await opened()
    const db = await rawDatabase()
    const times = { ours: [] as number[], raw: [] as number[] }
    let seq = 0
    // In groups, because the clock of a page that is not isolated ticks every 0.1 ms only.
    const group = async (barrier: (batch: readonly SessionEvent[]) => Promise<void>): Promise<number> =>
      (await timed(async () => {
        for (let i = 0; i < GROUP; i++) await barrier(events.slice(seq + i * 3, seq + i * 3 + 3))
      })) / GROUP
    for (let round = 0; round < 60; round++) {
      times.raw.push(
        await group(async (batch) => {
          const tx = db.transaction('rows', 'readwrite', { durability: 'strict' })
          void tx.store.add(batch)
          await tx.done
        }),
      )
      times.ours.push(await group((batch) => stores.sessions.commit({ sessionId: 's1', epoch, events: batch }, 'strict')))
      seq += GROUP * 3
    }
    stores.close()
    db.close()
    return times
  })
  const strict = { ours: median(barrier.value.ours), raw: median(barrier.value.raw) }

  console.log(
    [
      `calibration: structuredClone of one chunk event ${(calibration * 1_000).toFixed(2)} µs; × is the multiple of it per event`,
      ...lines,
      `B5 bytes: ${((100 * window.bytes) / objects.bytes).toFixed(1)} % of unpacked segments on disk (500 a commit: ${((100 * small.bytes) / objects.bytes).toFixed(1)} %), ${(json * 100).toFixed(1)} % as JSON`,
      `B6 strict barrier, median of 60 groups of 10: ${strict.ours.toFixed(2)} ms, raw ${strict.raw.toFixed(2)} ms: ${(strict.ours / strict.raw).toFixed(2)} ×`,
    ].join('\n'),
  )
})
