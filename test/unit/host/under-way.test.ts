// Exports and imports that take their time (S12, H1): how far they are is told, and one that is stopped leaves nothing half done.
import { describe, expect, test, vi } from 'vitest'
import { connect } from '../../../src/worker/client/connect.ts'
import { checkCommands } from '../../../src/worker/protocol/commands.ts'
import { expectCode } from '../../contract/expect-code.ts'
import { logOf, rowOf } from '../../contract/session-samples.ts'
import { inProcessWorker } from '../../kit/in-process-worker.ts'
import { text, toolCall } from '../../kit/replies.ts'
import { copiesWorld } from './copies-world.ts'

const LONG = 'a-long-session-01'
type World = ReturnType<typeof copiesWorld>

const withLong = async (events = 12_000): Promise<World> => {
  const world = copiesWorld()
  await world.stores.sessions.create(rowOf(LONG))
  const { epoch } = await world.stores.sessions.claim(LONG)
  await world.stores.sessions.commit({ sessionId: LONG, epoch, events: logOf(events) }, 'relaxed')
  return world
}
const withFiles = async (): Promise<World & { readonly id: string }> => {
  const put = (path: string) => toolCall('put', { path, text: path.repeat(50) })
  const world = copiesWorld([put('/a'), put('/b'), put('/c'), put('/d'), text('done')])
  const id = await world.create('Trip')
  await world.say(id, 'go')
  return { ...world, id }
}

/** What a port was told, in order; `at` is called with each. */
const progress = (at: (share: number) => void = () => {}) => {
  const shares: number[] = []
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent<number>) => {
    shares.push(data)
    at(data)
  }
  return { shares, port: port2, end: () => port1.close() }
}
const rises = (shares: readonly number[]): boolean => shares.every((share, at) => share > 0 && share <= 1 && share > (shares[at - 1] ?? 0))
const isEmpty = async ({ stores }: World): Promise<void> => {
  expect(await stores.sessions.list({})).toEqual([])
  expect(await stores.blobs.owners('')).toEqual([])
}

describe('S12 how far it is', () => {
  test('an export and an import tell it by shares that rise', async () => {
    const here = await withLong()
    const out = progress()
    const { file } = await here.host.sessions.export({ sessionId: LONG, progress: out.port })
    await vi.waitFor(() => expect(out.shares.length).toBeGreaterThan(5))
    const all = progress()
    await here.host.sessions.exportAll({ progress: all.port })
    const into = progress()
    await copiesWorld().host.sessions.import({ file, progress: into.port })
    await vi.waitFor(() => expect([all.shares.length, into.shares.length].every((count) => count > 1)).toBe(true))
    for (const { shares, end } of [out, all, into]) {
      expect(rises(shares), shares.join()).toBe(true)
      end()
    }
  })

  test('a zip with files tells it, too', async () => {
    const here = await withFiles()
    const [out, into] = [progress(), progress()]
    const { file } = await here.host.sessions.export({ sessionId: here.id, progress: out.port })
    await copiesWorld().host.sessions.import({ file, progress: into.port })
    await vi.waitFor(() => expect([out.shares.length, into.shares.length].every((count) => count > 2)).toBe(true))
    for (const { shares, end } of [out, into]) {
      expect(rises(shares), shares.join()).toBe(true)
      end()
    }
  })
})

describe('S12 stopped by its name', () => {
  test('an import leaves nothing, wherever it was', async () => {
    const { file } = await (await withLong()).host.sessions.export({ sessionId: LONG })
    for (const share of [0.01, 0.2, 0.4, 0.6]) {
      const there = copiesWorld()
      const { port, end } = progress((now) => now >= share && void there.host.sessions.stop({ attempt: 'mine' }))
      await expectCode(there.host.sessions.import({ file, attempt: 'mine', progress: port }), 'command/invalid')
      await isEmpty(there)
      end()
      await there.host.sessions.import({ file, attempt: 'mine' })
      expect(await there.stores.sessions.list({})).toHaveLength(1)
    }
  })

  test('an import in the middle of its blobs leaves none of them', async () => {
    const here = await withFiles()
    const { file } = await here.host.sessions.export({ sessionId: here.id })
    let last = 1
    for (let at = 1; at <= last; at++) {
      const there = copiesWorld()
      const { put } = there.stores.blobs
      let count = 0
      there.stores.blobs.put = async (...input) => {
        if (++count === at) await there.host.sessions.stop({ attempt: 'mine' })
        return put(...input)
      }
      await expectCode(there.host.sessions.import({ file, attempt: 'mine' }), 'command/invalid')
      await isEmpty(there)
      await there.host.sessions.import({ file })
      last = count - at
    }
    expect(last).toBeGreaterThan(3)
  })

  test('an import of a file that comes in one piece, or in a few long lines, is stopped in the midst of it', async () => {
    const { file } = await (await withLong()).host.sessions.export({ sessionId: LONG })
    const bytes = new Uint8Array(await file.arrayBuffer())
    const onePiece = Object.assign(new Blob([bytes]), { stream: () => new Response(bytes).body })
    const there = copiesWorld()
    const asked = there.host.sessions.import({ file: onePiece, attempt: 'mine' })
    setTimeout(() => void there.host.sessions.stop({ attempt: 'mine' }))
    await expectCode(asked, 'command/invalid')

    let pulls = 0
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        if (++pulls === 3) await there.host.sessions.stop({ attempt: 'mine' })
        if (pulls < 100) controller.enqueue(new Uint8Array(1000).fill(120))
        else controller.close()
      },
    })
    const oneLine = Object.assign(new Blob(['{']), { stream: () => endless })
    await expectCode(there.host.sessions.import({ file: oneLine, attempt: 'mine' }), 'command/invalid')
    expect(pulls, 'it was not read to its end').toBeLessThan(10)
    await isEmpty(there)
  })

  test('an import whose sessions are being stored is done: it is too late', async () => {
    const here = await withFiles()
    const { file } = await here.host.sessions.export({ sessionId: here.id })
    const there = copiesWorld()
    const { add } = there.stores.whole
    there.stores.whole.add = async (...input) => {
      await there.host.sessions.stop({ attempt: 'mine' })
      return add(...input)
    }
    expect((await there.host.sessions.import({ file, attempt: 'mine' })).sessions).toHaveLength(1)
    expect(await there.stores.sessions.list({})).toHaveLength(1)
  })

  test('an export gives no file, and the session stays as it is', async () => {
    const here = await withLong()
    const { read } = here.stores.sessions
    here.stores.sessions.read = async (...input) => {
      await new Promise((resolve) => setImmediate(resolve)) // as a database does
      return read(...input)
    }
    for (const start of [
      (port: MessagePort) => here.host.sessions.export({ sessionId: LONG, attempt: 'mine', progress: port }),
      (port: MessagePort) => here.host.sessions.exportAll({ attempt: 'mine', progress: port }),
    ]) {
      const { port, end } = progress(() => void here.host.sessions.stop({ attempt: 'mine' }))
      await expectCode(start(port), 'command/invalid')
      end()
    }
    expect(await here.events(LONG)).toHaveLength(12_000)
  })

  test('a name that nothing has, or has any more, is nothing', async () => {
    const here = await withFiles()
    await here.host.sessions.export({ sessionId: here.id, attempt: 'mine' })
    await here.host.sessions.stop({ attempt: 'mine' })
    expect((await here.host.sessions.export({ sessionId: here.id, attempt: 'mine' })).file.size).toBeGreaterThan(0)
  })
})

describe('H1 over the boundary', () => {
  test('a client follows an import with a function, and ends it with a signal', async () => {
    const { file } = await (await withLong(30_000)).host.sessions.export({ sessionId: LONG })
    const there = copiesWorld()
    const client = await connect(() => inProcessWorker(checkCommands(there.host)))
    const stop = new AbortController()
    const shares: number[] = []
    const asked = client.sessions.import(file, {
      signal: stop.signal,
      onProgress(share) {
        shares.push(share)
        stop.abort(new Error('I do not want it any more'))
      },
    })
    await expect(asked).rejects.toThrow('I do not want it any more')
    expect(shares.length).toBeGreaterThan(0)
    await isEmpty(there)
    await expect(client.sessions.import(file, { signal: stop.signal })).rejects.toThrow('I do not want it any more')
    expect((await client.sessions.import(file, { onProgress: () => {} })).sessions).toHaveLength(1)
    client.close()
  })
})
