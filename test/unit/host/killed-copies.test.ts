// Forks and imports that break off (S11, S12, S16): at whatever step a store fails or the tab dies, there is a whole copy or none.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFileTree } from '../../../src/storage/file-tree.ts'
import type { SessionId } from '../../../src/storage/log/content.ts'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { memoryLeases } from '../../kit/memory-leases.ts'
import { text, toolCall } from '../../kit/replies.ts'
import { copiesWorld, seqOf } from './copies-world.ts'

const put = (path: string, words: string) => toolCall('put', { path, text: words })
const PORTS = ['sessions', 'whole', 'files', 'blobs'] as const
type Break = 'fails' | 'dies'

/** The same stores, until their call number `at`: that one fails, or it and every later one never comes back. */
const breakingAt = (
  stores: Stores,
  at: number,
  how: Break,
): { readonly stores: Stores; readonly reached: Promise<void>; readonly calls: () => number } => {
  let calls = 0
  let tell = (): void => {}
  const reached = new Promise<void>((resolve) => {
    tell = resolve
  })
  const wrap = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, key, receiver) {
        const member: unknown = Reflect.get(target, key, receiver)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          const mine = calls++
          if (mine < at || (how === 'fails' && mine > at)) return Reflect.apply(member, target, args)
          tell()
          if (how === 'fails') throw new SideloopError('storage/unavailable', 'The database was closed in the middle of it')
          return new Promise(() => {})
        }
      },
    })
  const wrapped = Object.fromEntries(PORTS.map((port) => [port, wrap(stores[port])]))
  return { stores: { ...stores, ...wrapped }, reached, calls: () => calls }
}

const filled = async (): Promise<{ readonly stores: Stores; readonly id: SessionId; readonly file: Blob }> => {
  const world = copiesWorld([put('/a', '1'), text('one'), put('/a', '2'), text('two')])
  const id = await world.create('Trip')
  await world.say(id, 'first')
  await world.say(id, 'second')
  await world.host.sessions.fork({ sessionId: id, beforeSeq: seqOf(await world.events(id), 'turn/end') + 1 })
  const { file } = await world.host.sessions.exportAll({})
  return { stores: world.stores, id, file }
}

/** Every session is valid, and every blob that it names, and that its trees name, is there. */
const checkAll = async (stores: Stores): Promise<number> => {
  const rows = await stores.sessions.list({})
  for (const { id } of rows) {
    const events = await stores.sessions.read(id, { after: -1 })
    expect(problemsOf(events)).toEqual([])
    for (const { path } of await stores.files.list(id, '/')) expect((await stores.files.read(id, path))?.bytes).toBeDefined()
    for (const event of events) {
      if (event.type !== 'files/snapshot') continue
      const tree = await stores.blobs.get(event.data.tree)
      for (const { blob } of readFileTree(tree!)) expect(await stores.blobs.get(blob)).toBeDefined()
    }
  }
  return rows.length
}
const ownersAre = async (stores: Stores): Promise<void> => {
  const ids = (await stores.sessions.list({})).map(({ id }) => id)
  expect((await stores.blobs.owners('')).filter((owner) => !ids.includes(owner))).toEqual([])
}

/** Breaks a command at each of its store calls in turn; `count`: how many sessions there are before and after. */
const atEveryStep = async (
  how: Break,
  before: (world: Awaited<ReturnType<typeof filled>>) => Stores,
  command: (host: ReturnType<typeof copiesWorld>['host'], world: Awaited<ReturnType<typeof filled>>) => Promise<unknown>,
  added: number,
): Promise<number> => {
  for (let at = 0; ; at++) {
    const world = await filled()
    const stores = before(world)
    const count = (await stores.sessions.list({})).length
    const leases = memoryLeases()
    const breaking = breakingAt(stores, at, how)
    const { host } = copiesWorld([], breaking.stores, leases)
    const outcome = await Promise.race([
      command(host, world).then(
        () => 'done',
        (error: unknown) => (error instanceof SideloopError ? error.code : 'internal'),
      ),
      ...(how === 'dies' ? [breaking.reached.then(() => 'dead')] : []),
    ])
    const isOver = breaking.calls() <= at
    if (how === 'dies') leases.freeAll()
    const found = await checkAll(stores)
    expect([count, count + added], `${outcome} at ${at}`).toContain(found)
    if (outcome === 'done') expect(found).toBe(count + added)
    if (how === 'fails') await ownersAre(stores)
    // The next life, and its first import, find nothing to trip over.
    const next = copiesWorld([], stores, leases)
    await next.host.sessions.import({ file: world.file })
    await ownersAre(stores)
    for (const { id } of await stores.sessions.list({})) await stores.whole.remove(id)
    expect(await stores.blobs.owners('')).toEqual([])
    if (isOver) return at
  }
}

for (const how of ['fails', 'dies'] as const) {
  test(`S11 S16 a fork whose store ${how} at any of its calls is whole or not there`, async () => {
    const fork = async (host: ReturnType<typeof copiesWorld>['host'], { id, stores }: Awaited<ReturnType<typeof filled>>) =>
      host.sessions.fork({ sessionId: id, beforeSeq: (await stores.sessions.get(id))!.nextSeq })
    expect(await atEveryStep(how, ({ stores }) => stores, fork, 1)).toBeGreaterThan(3)
  })

  test(`S12 S16 an import whose store ${how} at any of its calls brings in all or nothing, and what it left is swept`, async () => {
    const steps = await atEveryStep(
      how,
      () => openMemoryStorage(),
      (host, { file }) => host.sessions.import({ file }),
      2,
    )
    expect(steps).toBeGreaterThan(6)
  })
}

test('S12 an import that is under way is not swept by another tab', async () => {
  const { file } = await filled()
  const stores = openMemoryStorage()
  const leases = memoryLeases()
  const slow = breakingAt(stores, 5, 'dies')
  const first = copiesWorld([], slow.stores, leases)
  void first.host.sessions.import({ file })
  await slow.reached
  const held = await stores.blobs.owners('arriving/')
  expect(held).toHaveLength(1)
  await copiesWorld([], stores, leases).host.sessions.import({ file })
  expect(await stores.blobs.owners('arriving/')).toEqual(held)
  leases.freeAll()
  await copiesWorld([], stores, leases).host.sessions.import({ file })
  expect(await stores.blobs.owners('arriving/')).toEqual([])
})

test('S12 S16 what a dead tab had brought in is swept when the next one opens a session', async () => {
  const stores = openMemoryStorage()
  await stores.blobs.put(new Uint8Array(9), 'arriving/dead')
  const world = copiesWorld([text('ok')], stores)
  await world.say(await world.create(), 'hi')
  expect(await stores.blobs.owners('')).toEqual([])
})

test('S13 after any forks, writes and removals every snapshot of every session can be read, and in the end no blob is left', async () => {
  const action = fc.oneof(
    fc.record({
      kind: fc.constant('write' as const),
      who: fc.nat(5),
      path: fc.constantFrom('/a', '/b', '/c'),
      words: fc.constantFrom('x', 'y', 'z'),
    }),
    fc.record({ kind: fc.constant('remove file' as const), who: fc.nat(5), path: fc.constantFrom('/a', '/b', '/c') }),
    fc.record({
      kind: fc.constant('say' as const),
      who: fc.nat(5),
      path: fc.constantFrom('/a', '/b'),
      words: fc.constantFrom('x', 'y', '0'),
    }),
    fc.record({ kind: fc.constant('fork' as const), who: fc.nat(5), where: fc.double({ min: 0, max: 1, noNaN: true }) }),
    fc.record({ kind: fc.constant('remove' as const), who: fc.nat(5) }),
    fc.record({ kind: fc.constant('copy' as const), who: fc.nat(5) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 14 }), async (actions) => {
      const stores = openMemoryStorage()
      const blobs = new Set<string>()
      const turn = (path: string, words: string) => [put(path, words), text('ok')]
      const replies = actions.flatMap((each) => (each.kind === 'say' ? turn(each.path, each.words) : []))
      const world = copiesWorld([...turn('/a', 'first'), ...replies], stores)
      const ids = [await world.create('First')]
      await world.say(ids[0]!, 'go')
      for (const each of actions) {
        const id = ids[each.who % Math.max(1, ids.length)]
        if (id === undefined) break
        if (each.kind === 'write') blobs.add((await world.write(id, each.path, each.words)).blob)
        else if (each.kind === 'remove file') await stores.files.remove(id, each.path)
        else if (each.kind === 'say') await world.say(id, each.words)
        else if (each.kind === 'fork') {
          const { nextSeq } = (await stores.sessions.get(id))!
          ids.push((await world.host.sessions.fork({ sessionId: id, beforeSeq: Math.floor(each.where * nextSeq) })).sessionId)
        } else if (each.kind === 'remove') {
          await world.host.sessions.remove({ sessionId: id })
          ids.splice(ids.indexOf(id), 1)
        } else {
          const { file } = await world.host.sessions.export({ sessionId: id })
          ids.push((await world.host.sessions.import({ file })).sessions[0]!.sessionId)
        }
        expect(await checkAll(stores)).toBe(ids.length)
        for (const one of ids)
          for (const event of await world.events(one))
            if (event.type === 'files/snapshot') {
              blobs.add(event.data.tree)
              for (const { blob } of readFileTree((await stores.blobs.get(event.data.tree))!)) blobs.add(blob)
            }
      }
      for (const sessionId of ids) await world.host.sessions.remove({ sessionId })
      for (const blob of blobs) expect(await world.has(blob)).toBe(false)
      expect(await stores.blobs.owners('')).toEqual([])
    }),
    { numRuns: 25 },
  )
}, 60_000)
