// Export and import by command (S12): what goes out comes in as it was, with its files, and without anything that is not a session.
import { describe, expect, test } from 'vitest'
import { SESSION_FILE_FORMAT } from '../../../src/storage/log/session-file.ts'
import { connect } from '../../../src/worker/client/connect.ts'
import { bytesOf as readBytes } from '../../../src/worker/host/copies/read-text.ts'
import { openZip } from '../../../src/worker/host/copies/read-zip.ts'
import { checkCommands } from '../../../src/worker/protocol/commands.ts'
import { logOf, rowOf } from '../../contract/session-samples.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { inProcessWorker } from '../../kit/in-process-worker.ts'
import { text, toolCall } from '../../kit/replies.ts'
import { bytesOf, copiesWorld, seqOf, textOf } from './copies-world.ts'

const put = (path: string, words: string) => toolCall('put', { path, text: words })

/** A session with files that changed twice, and one of the person's own. */
const withFiles = async () => {
  const world = copiesWorld([put('/a', '1'), text('one'), put('/a', '2'), put('/b/c.txt', 'deep'), text('two'), text('three')])
  const id = await world.create('Ein Täg! / mit: allem')
  await world.say(id, 'first')
  await world.say(id, 'second')
  return { ...world, id, log: await world.events(id) }
}

describe('there and back', () => {
  test('S12 a session without files is one JSON Lines file, which another browser imports as it was', async () => {
    const here = copiesWorld([text('Hello', { chunks: ['He', 'l', 'lo'] })])
    const id = await here.create('Trip')
    await here.say(id, 'hi')
    const { name, file } = await here.host.sessions.export({ sessionId: id })
    expect(name).toBe('trip-1970-01-01.jsonl')
    const lines = (await file.text()).trimEnd().split('\n')
    expect(JSON.parse(lines[0]!)).toMatchObject({ format: SESSION_FILE_FORMAT, length: lines.length - 1, id })
    const there = copiesWorld([text('again')])
    expect(await there.host.sessions.import({ file })).toEqual({ sessions: [{ sessionId: id, title: 'Trip' }] })
    expect(await there.events(id)).toEqual(await here.events(id))
    await there.say(id, 'go on')
    there.model.assertPlayed()
    expect(problemsOf(await there.events(id))).toEqual([])
  })

  test('S12 a session with files is a zip; its files and every earlier tree come back', async () => {
    const here = await withFiles()
    const { name, file } = await here.host.sessions.export({ sessionId: here.id })
    expect(name).toBe('ein-täg-mit-allem-1970-01-01.sideloop.zip')
    const there = copiesWorld()
    await there.host.sessions.import({ file })
    expect(await there.events(here.id)).toEqual(here.log)
    expect(await there.files(here.id)).toEqual({ '/a': '2', '/b/c.txt': 'deep' })
    const past = await there.host.sessions.fork({ sessionId: here.id, beforeSeq: seqOf(here.log, 'turn/end') + 1 })
    expect(await there.files(past.sessionId)).toEqual({ '/a': '1' })
    for (const sessionId of [here.id, past.sessionId]) await there.host.sessions.remove({ sessionId })
    expect(await there.stores.blobs.owners('')).toEqual([])
  })

  test('S12 pictures and artifacts travel too', async () => {
    const here = copiesWorld()
    await here.stores.sessions.create(rowOf('pictures-0001'))
    const { epoch } = await here.stores.sessions.claim('pictures-0001')
    const blob = await here.stores.blobs.put(bytesOf('a picture'), 'pictures-0001')
    const [start, said] = logOf(2)
    const image = { ...said!, data: { ...said!.data, content: [{ type: 'image', blob, mediaType: 'image/png' }] } } as typeof said
    await here.stores.sessions.commit({ sessionId: 'pictures-0001', epoch, events: [start!, image!] }, 'strict')
    const { file } = await here.host.sessions.export({ sessionId: 'pictures-0001' })
    const there = copiesWorld()
    await there.host.sessions.import({ file })
    expect(await there.has(blob)).toBe(true)
  })

  test('S12 everything is one zip: all sessions, forks with the same blobs, helpers with their parents', async () => {
    const here = await withFiles()
    const fork = await here.host.sessions.fork({ sessionId: here.id, beforeSeq: here.log.length })
    const helper = {
      ...rowOf('helper-of-first-01'),
      header: { version: 1, id: 'helper-of-first-01', createdAt: 5, parentSession: here.id, depth: 1 },
    } as const
    await here.stores.sessions.create(helper)
    const { name, file, skipped } = await here.host.sessions.exportAll({})
    expect([name, skipped]).toEqual(['sideloop-1970-01-01.sideloop.zip', []])
    const there = copiesWorld()
    const { sessions } = await there.host.sessions.import({ file })
    expect(sessions.map(({ sessionId }) => sessionId).sort()).toEqual([here.id, fork.sessionId].sort())
    for (const sessionId of [here.id, fork.sessionId]) {
      expect(await there.events(sessionId)).toEqual(await here.events(sessionId))
      expect(await there.files(sessionId)).toEqual(await here.files(sessionId))
    }
    await there.host.sessions.remove({ sessionId: here.id })
    expect(await there.stores.sessions.get('helper-of-first-01')).toBeUndefined()
  })

  test('S12 an id that is taken becomes a new one, for those that name it in the file as well; nothing that was here changes', async () => {
    const here = await withFiles()
    const fork = await here.host.sessions.fork({ sessionId: here.id, beforeSeq: here.log.length })
    const helper = {
      ...rowOf('helper-of-first-01'),
      header: { version: 1, id: 'helper-of-first-01', createdAt: 5, parentSession: here.id, depth: 1 },
    } as const
    await here.stores.sessions.create(helper)
    const { file } = await here.host.sessions.exportAll({})
    const before = await here.stores.sessions.get(here.id)
    const { sessions } = await here.host.sessions.import({ file })
    expect(sessions).toHaveLength(2)
    const ids = sessions.map(({ sessionId }) => sessionId)
    expect(ids).not.toContain(here.id)
    const rows = await Promise.all(ids.map((id) => here.stores.sessions.get(id)))
    const original = rows.find((row) => row?.header.parentSession === undefined)
    expect(original?.header).toMatchObject({ id: original?.id, createdAt: before?.createdAt })
    expect(rows.find((row) => row?.header.parentSession !== undefined)?.header.parentSession).toBe(original?.id)
    expect(await here.events(original!.id)).toEqual(here.log)
    expect(await here.stores.sessions.get(here.id)).toEqual(before)
    expect(await here.stores.sessions.list({})).toHaveLength(6)
    await here.host.sessions.remove({ sessionId: original!.id })
    expect((await here.stores.sessions.list({})).map(({ id }) => id)).toEqual(
      expect.arrayContaining([here.id, fork.sessionId, 'helper-of-first-01']),
    )
    expect(await here.stores.sessions.list({})).toHaveLength(4)
  })

  test('S12 a helper that comes without its parent stands for itself', async () => {
    const here = copiesWorld()
    const header = { version: 1, id: 'helper-of-first-01', createdAt: 5, parentSession: 'not-here', depth: 1 } as const
    await here.stores.sessions.create({ ...rowOf('helper-of-first-01'), header })
    const { file } = await here.host.sessions.export({ sessionId: 'helper-of-first-01' })
    const there = copiesWorld()
    await there.host.sessions.import({ file })
    expect((await there.host.sessions.list({})).map(({ id }) => id)).toEqual(['helper-of-first-01'])
    expect((await there.stores.sessions.get('helper-of-first-01'))?.header).toEqual({
      version: 1,
      id: 'helper-of-first-01',
      createdAt: 5,
      parentSession: 'not-here',
    })
  })

  test('S12 a session that is at work is exported as far as it is, goes on, and is idle where it comes in', async () => {
    const open = gate()
    const here = copiesWorld([text('ab', { chunks: ['a', open, 'b'] })])
    const id = await here.create('Busy')
    await here.host.drive.send({ sessionId: id, messageId: 'm1', content: [{ type: 'text', text: 'hi' }] })
    await open.reached
    const { length } = here.runtime.agents.get(id)!.session.events
    const { file } = await here.host.sessions.export({ sessionId: id })
    expect(JSON.parse((await file.text()).split('\n', 1)[0]!)).toMatchObject({ length })
    open.open()
    await here.runtime.agents.get(id)?.whenIdle()
    expect((await here.events(id)).at(-1)).toMatchObject({ data: { reason: { kind: 'completed' } } })
    const there = copiesWorld()
    await there.host.sessions.import({ file })
    expect((await there.events(id)).at(-1)).toMatchObject({ type: 'turn/end', data: { reason: { kind: 'interrupted' } } })
    expect(await there.host.sessions.list({})).toMatchObject([{ id, status: 'interrupted' }])
    expect(problemsOf(await there.events(id))).toEqual([])
  })

  test('S12 imported sessions go on with the model that is chosen here', async () => {
    const here = await withFiles()
    const { file } = await here.host.sessions.export({ sessionId: here.id })
    const there = copiesWorld([text('ok')])
    await there.host.sessions.import({ file })
    expect((await there.stores.sessions.get(here.id))?.options).toEqual(await there.host.models.chosen({}))
  })

  test('S12 H1 files cross the boundary of the worker, and the client has a method for each', async () => {
    const here = await withFiles()
    const client = await connect(() => inProcessWorker(checkCommands(here.host)))
    const id = await client.sessions.fork(here.id, here.log.length)
    const one = await client.sessions.export(id)
    const all = await client.sessions.exportAll()
    expect([one.file, all.file].every((file) => file instanceof Blob)).toBe(true)
    expect((await client.sessions.import(one.file)).sessions).toHaveLength(1)
    await expect(client.sessions.import(new Blob(['x']))).rejects.toMatchObject({ code: 'import/refused' })
    client.close()
  })
})

test('S12 while a long session comes in, others get their turn', async () => {
  const here = copiesWorld()
  await here.stores.sessions.create(rowOf('a-long-session-01'))
  const { epoch } = await here.stores.sessions.claim('a-long-session-01')
  await here.stores.sessions.commit({ sessionId: 'a-long-session-01', epoch, events: logOf(20_000) }, 'relaxed')
  const turnsDuring = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
    let turns = 0
    const count = setInterval(() => turns++)
    const value = await work
    clearInterval(count)
    return [value, turns]
  }
  const there = copiesWorld()
  const { file } = await here.host.sessions.export({ sessionId: 'a-long-session-01' })
  const bytes = new Uint8Array(await file.arrayBuffer())
  // A browser may give the whole at once.
  const whole = (): ReadableStream<Uint8Array<ArrayBuffer>> =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(bytes)
        controller.close()
      },
    })
  Object.assign(file, { stream: whole })
  const [, turns] = await turnsDuring(there.host.sessions.import({ file }))
  expect(turns).toBeGreaterThan(5)
  expect((await there.events('a-long-session-01')).slice(0, 20_000)).toEqual(logOf(20_000))
})

test('S12 S14 neither a key nor a setting is in a file', async () => {
  const secret = 'sk-very-secret-0123456789'
  const here = await withFiles()
  await here.stores.secrets.set('provider-key/mine/https://example.test', secret)
  await here.stores.settings.set('providers', [{ id: 'mine', note: 'a-setting-0123456789' }])
  const files = [await here.host.sessions.export({ sessionId: here.id }), await here.host.sessions.exportAll({})]
  for (const { file } of files) {
    const there = copiesWorld()
    await there.host.sessions.import({ file })
    expect(await there.stores.secrets.names()).toEqual([])
    expect(await there.stores.settings.get('providers')).toBeUndefined()
    const zip = await openZip(file)
    expect(zip.entries.length).toBeGreaterThan(3)
    for (const entry of zip.entries) {
      const words = textOf(await readBytes(entry.name, zip.read(entry), entry.size))
      expect(words).not.toContain(secret)
      expect(words).not.toContain('a-setting')
    }
  }
})

test('S12 a session that cannot be read keeps no other from being saved, and is named', async () => {
  const here = await withFiles()
  await here.stores.sessions.create(rowOf('damaged-0001', { title: 'Damaged' }))
  const { epoch } = await here.stores.sessions.claim('damaged-0001')
  const future = JSON.parse('{"type":"future/thing","seq":0,"time":1,"data":{}}')
  await here.stores.sessions.commit({ sessionId: 'damaged-0001', epoch, events: [future] }, 'strict')
  const { file, skipped } = await here.host.sessions.exportAll({})
  expect(skipped).toMatchObject([{ sessionId: 'damaged-0001', title: 'Damaged', message: expect.stringContaining('future/thing') }])
  expect((await copiesWorld().host.sessions.import({ file })).sessions.map(({ sessionId }) => sessionId)).toEqual([here.id])
  await expect(here.host.sessions.export({ sessionId: 'damaged-0001' })).rejects.toMatchObject({ code: 'session/invalid' })
  await expect(here.host.sessions.export({ sessionId: 'none' })).rejects.toMatchObject({ code: 'session/unknown' })
})

test('S12 a file that is overwritten while it is exported is exported as it became', async () => {
  const here = await withFiles()
  const { blobs } = here.stores
  let meddled = false
  const stores = {
    ...here.stores,
    files: {
      ...here.stores.files,
      async list(scope: string, folder: string) {
        const entries = await here.stores.files.list(scope, folder)
        if (!meddled) await here.write(here.id, '/new', 'older')
        const found = meddled ? entries : await here.stores.files.list(scope, folder)
        if (!meddled) await here.write(here.id, '/new', 'newer')
        meddled = true
        return found
      },
    },
    blobs,
  }
  const { file } = await copiesWorld([], stores).host.sessions.export({ sessionId: here.id })
  const there = copiesWorld()
  await there.host.sessions.import({ file })
  expect(await there.files(here.id)).toMatchObject({ '/new': 'newer' })
})
