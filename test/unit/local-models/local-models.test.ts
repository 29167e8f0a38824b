// The models of this tab, as the settings and an adapter use them: offered, added, brought here, used, removed, remembered.
import { describe, expect, test } from 'vitest'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { gate } from '../../kit/gate.ts'
import { memoryChannels } from '../../kit/memory-channels.ts'
import { tinyGguf } from '../../kit/tiny-gguf.ts'
import { localWorld, never, OFFER, playedEngine, TINY } from './local-world.ts'

const page = new TextEncoder().encode('<!doctype html><title>Sign in</title>')

describe('W15 what there is', () => {
  test('what the application offers is there with its size, and nothing of it is here', async () => {
    const { only, models } = await localWorld()
    expect(await only()).toEqual({
      id: 'tiny',
      label: 'Tiny',
      url: OFFER.url,
      bytes: 2_000_000,
      here: 0,
      state: { kind: 'absent' },
      added: false,
    })
    expect(models.choices()).toEqual([])
  })

  test('a model is downloaded, checked, and then one of those to choose from, with what its file says', async () => {
    const { models, only, engine } = await localWorld()
    await models.download({ id: 'tiny' })
    expect(await only()).toMatchObject({ here: TINY.length, bytes: TINY.length, state: { kind: 'kept' } })
    expect(models.choices()).toMatchObject([{ provider: 'local', model: 'tiny', label: 'Tiny' }])
    expect(models.info('tiny')).toEqual({ contextWindow: 2048, images: false, efforts: [] })
    expect(engine.warmed).toBe(1)
  })

  test('a model whose template knows no tools is given none', async () => {
    const bytes = tinyGguf({ reply: ['Hello'], chatTemplate: '{% for m in messages %}{{ m.content }}{% endfor %}' })
    const { models } = await localWorld({ answers: [{ bytes }] })
    await models.download({ id: 'tiny' })
    expect(models.info('tiny')).toMatchObject({ tools: false })
  })

  test('everything is remembered: a worker that starts later finds it', async () => {
    const { models, stores, weights } = await localWorld()
    await models.download({ id: 'tiny' })
    const later = await localWorld({ stores, weights })
    expect(await later.only()).toMatchObject({ state: { kind: 'kept' } })
    expect(later.models.info('tiny')).toMatchObject({ contextWindow: 2048 })
    expect(later.server.asked).toEqual([])
  })

  test('weights that were lost meanwhile are not offered as if they were here', async () => {
    const { models, stores, weights } = await localWorld()
    await models.download({ id: 'tiny' })
    for (const { name } of await weights.list()) await weights.remove(name)
    const later = await localWorld({ stores, weights })
    expect(await later.only()).toMatchObject({ here: 0, state: { kind: 'absent' } })
    expect(later.models.choices()).toEqual([])
  })

  test('weights that were lost are brought anew, and only those', async () => {
    const offered = [{ ...OFFER, url: 'https://models.example/big-00001-of-00002.gguf' }]
    const { models, stores, weights } = await localWorld({ offered })
    await models.download({ id: 'tiny' })
    const [, second] = await weights.list()
    await weights.remove(second?.name ?? '')
    const later = await localWorld({ stores, weights, offered })
    await later.models.download({ id: 'tiny' })
    expect(later.server.asked).toEqual([''])
    expect((await later.only()).state).toEqual({ kind: 'kept' })
  })

  test('what a newer version stored is kept, and does not hide the rest', async () => {
    const { stores } = await localWorld()
    await stores.settings.set('local-models', [{ id: 'new', shape: 'unknown' }, 7, null])
    const { models } = await localWorld({ stores })
    await models.add({ source: { url: 'https://models.example/b.gguf' } })
    expect(await stores.settings.get('local-models')).toMatchObject([{ id: 'new', shape: 'unknown' }, 7, null, { label: 'b' }])
  })

  test('downloads that end together are all remembered', async () => {
    const ids = ['one', 'two', 'three', 'four']
    const offered = ids.map((id) => ({ id, label: id, url: `https://models.example/${id}.gguf` }))
    const { models, stores, weights } = await localWorld({ offered })
    await Promise.all(ids.map((id) => models.download({ id })))
    const later = await localWorld({ offered, stores, weights })
    expect(later.models.choices()).toHaveLength(4)
  })

  test('an application that offers another file under the same name means that one', async () => {
    const { models, stores, weights } = await localWorld()
    await models.download({ id: 'tiny' })
    const { only } = await localWorld({ stores, weights, offered: [{ ...OFFER, url: 'https://models.example/tiny-2.gguf' }] })
    expect(await only()).toMatchObject({ url: 'https://models.example/tiny-2.gguf', here: 0, state: { kind: 'absent' } })
  })
})

describe('W15 bringing one here', () => {
  test('it says how far it is, and is stopped by whoever wants; what came is kept and not asked for again', async () => {
    const { models, only, server } = await localWorld()
    const states: string[] = []
    let stop = true
    models.onChange(() => {
      const [view] = models.views()
      states.push(`${view?.state.kind} ${view?.here}`)
      if (stop && (view?.here ?? 0) > 0) void models.stop({ id: 'tiny' })
    })
    await models.download({ id: 'tiny' })
    expect(states).toContain('downloading 400000')
    const { here, state, failure } = await only()
    expect([here < TINY.length, state.kind, failure]).toEqual([true, 'absent', undefined])
    stop = false
    await models.download({ id: 'tiny' })
    expect(await only()).toMatchObject({ here: TINY.length, state: { kind: 'kept' } })
    expect(server.asked).toEqual(['', `bytes=${here}-`])
  })

  test('what the server says of its size is news, also when nothing comes after it', async () => {
    const silent = new Response(new ReadableStream({ start: (controller) => controller.enqueue(TINY.slice(0, 1000)) }), {
      headers: { 'content-length': String(TINY.length) },
    })
    const all = openMemoryStorage()
    const slow = gate()
    let isSlow = false
    const get = async (name: string) => {
      if (isSlow) await slow.opened
      return all.settings.get(name)
    }
    const stores = { ...all, settings: { ...all.settings, get } }
    const { models } = await localWorld({ answers: [silent], offered: [{ id: 'tiny', label: 'Tiny', url: OFFER.url }], stores })
    isSlow = true
    let seen: string | undefined
    models.onChange(() => {
      const [view] = models.views()
      seen = `${view?.here} of ${view?.bytes}`
    })
    const downloading = models.download({ id: 'tiny' })
    await expect.poll(() => seen).toBe('1000 of undefined')
    slow.open()
    await expect.poll(() => seen).toBe(`1000 of ${TINY.length}`)
    await models.stop({ id: 'tiny' })
    await downloading
  })

  test('two who ask for it have one download', async () => {
    const { models, server } = await localWorld()
    await Promise.all([models.download({ id: 'tiny' }), models.download({ id: 'tiny' })])
    expect(server.asked).toEqual([''])
    await models.download({ id: 'tiny' })
    expect(server.asked).toEqual([''])
  })

  test('all parts of a model that was split are brought, each from its own address', async () => {
    const offered = [{ ...OFFER, url: 'https://models.example/big-00001-of-00002.gguf' }]
    const { models, server, only } = await localWorld({ offered, answers: [{ bytes: TINY }, { bytes: TINY.slice(0, 100) }] })
    await models.download({ id: 'tiny' })
    expect(server.asked).toHaveLength(2)
    expect(await only()).toMatchObject({ here: TINY.length + 100, state: { kind: 'kept' } })
  })

  test('a web page in its place is refused in plain words, and nothing of it is kept', async () => {
    const { models, only } = await localWorld({ answers: [{ bytes: page }] })
    await expect(models.download({ id: 'tiny' })).rejects.toMatchObject({ code: 'model/failed' })
    expect(await only()).toMatchObject({ here: 0, state: { kind: 'absent' }, failure: expect.stringContaining('a web page') })
  })

  test('a file that is damaged behind its first letters is removed', async () => {
    const bytes = TINY.slice(0, 3000)
    bytes.fill(255, 8, 24)
    const { models, only, weights } = await localWorld({ answers: [{ bytes, pieces: 8 }] })
    await expect(models.download({ id: 'tiny' })).rejects.toThrow('damaged')
    expect(await weights.list()).toEqual([])
    expect(await only()).toMatchObject({ failure: expect.stringContaining('damaged') })
  })

  test('a failure is forgotten with the next try', async () => {
    const { models, only } = await localWorld({ answers: [new Response('', { status: 404 }), { bytes: TINY }] })
    await expect(models.download({ id: 'tiny' })).rejects.toThrow('no file at this address')
    expect((await only()).failure).toContain('no file at this address')
    await models.download({ id: 'tiny' })
    expect((await only()).failure).toBeUndefined()
  })

  test('S4 a full disk is told; after room was made it goes on', async () => {
    const { models, weights, only, server } = await localWorld()
    weights.limit(500_000)
    await expect(models.download({ id: 'tiny' })).rejects.toMatchObject({ code: 'storage/quota' })
    weights.limit(Number.POSITIVE_INFINITY)
    await models.download({ id: 'tiny' })
    expect(server.asked).toEqual(['', 'bytes=400000-'])
    expect((await only()).state).toEqual({ kind: 'kept' })
  })

  test('a file of the person is copied, checked first, and called by its name', async () => {
    const { models, weights } = await localWorld({ offered: [] })
    const { id } = await models.add({ source: { file: new Blob([TINY]), name: 'My Model-Q4.gguf' } })
    expect(await models.list({})).toMatchObject([{ id, label: 'My Model-Q4', here: TINY.length, state: { kind: 'kept' }, added: true }])
    await expect(models.add({ source: { file: new Blob([page]), name: 'page.gguf' } })).rejects.toThrow('a web page')
    expect(await models.list({})).toHaveLength(1)
    expect(await weights.list()).toHaveLength(1)
  })

  test('a file that is being copied is listed with how far it is; stopped, nothing of it stays', async () => {
    const { models, weights } = await localWorld({ offered: [] })
    const seen: unknown[] = []
    models.onChange(() => {
      const [view] = models.views()
      if (view === undefined || view.here === 0 || seen.length > 0) return
      seen.push(view)
      void models.stop({ id: view.id })
    })
    const adding = models.add({ source: { file: new Blob([TINY]), name: 'Mine.gguf' } })
    await expect(adding).rejects.toThrow('Stopped')
    expect(seen).toMatchObject([{ label: 'Mine', bytes: TINY.length, state: { kind: 'downloading' }, added: true }])
    expect(await models.list({})).toEqual([])
    expect(await weights.list()).toEqual([])
    const first = models.add({ source: { file: new Blob([TINY]), name: 'Mine.gguf' } })
    const second = models.add({ source: { file: new Blob([TINY]), name: 'Mine.gguf' } })
    expect((await first).id).not.toBe((await second).id)
    expect(await models.list({})).toMatchObject([{ here: TINY.length }, { here: TINY.length }])
  })

  test('a name that nobody can see is none', async () => {
    const { models } = await localWorld({ offered: [] })
    for (const label of [' ', '\u202e\u200b', '']) await models.add({ source: { url: `https://x/b${label.length}.gguf` }, label })
    expect((await models.list({})).map(({ label }) => label)).toEqual(['b1', 'b2', 'b0'])
  })

  test('an address is added once; what is no address of such a file is refused with the reason', async () => {
    const { models } = await localWorld({ offered: [] })
    const source = { url: 'https://huggingface.co/a/b/blob/main/Some%20Model.gguf?download=true' }
    const first = await models.add({ source })
    expect(await models.add({ source: { url: 'https://huggingface.co/a/b/resolve/main/Some%20Model.gguf?download=true' } })).toEqual(first)
    expect(await models.list({})).toMatchObject([{ label: 'Some Model', added: true }])
    const long = `https://x/${'量'.repeat(300)}.gguf`
    for (const url of ['nonsense', 'ftp://x/a.gguf', 'https://x/model.bin', 'javascript:alert(1)//.gguf', 'https://a:b@x/a.gguf', long])
      await expect(models.add({ source: { url } })).rejects.toMatchObject({ code: 'command/invalid' })
  })

  test('removing frees its room; one that was added is gone, one that is offered can be had again', async () => {
    const { models, weights, only } = await localWorld()
    await models.download({ id: 'tiny' })
    await models.remove({ id: 'tiny' })
    expect(await weights.list()).toEqual([])
    expect(await only()).toMatchObject({ here: 0, state: { kind: 'absent' } })
    const { id } = await models.add({ source: { url: 'https://models.example/b.gguf' } })
    await models.remove({ id })
    expect((await models.list({})).map((model) => model.id)).toEqual(['tiny'])
  })

  test('removing in the middle of a download stops it first', async () => {
    const { models, weights } = await localWorld()
    const downloading = models.download({ id: 'tiny' })
    await models.remove({ id: 'tiny' })
    await downloading
    expect(await weights.list()).toEqual([])
  })
})

describe('W15 using one', () => {
  const kept = async (engine = playedEngine()) => {
    const world = await localWorld({
      engine,
      offered: [OFFER, { ...OFFER, id: 'other', label: 'Other', url: 'https://models.example/o.gguf' }],
    })
    await world.models.download({ id: 'tiny' })
    await world.models.download({ id: 'other' })
    return world
  }

  test('it is loaded once, from what is kept, and says what it is doing', async () => {
    const { models, engine } = await kept()
    const seen: string[] = []
    models.onChange(() => seen.push(models.views()[0]?.state.kind ?? ''))
    const use = () => models.use('tiny', (loaded) => loaded.answer({}, { event: () => {} }, never), never)
    await use()
    await use()
    expect(engine.loads.map(({ files, contextWindow }) => [files.map(({ blob }) => blob.size), contextWindow])).toEqual([
      [[TINY.length], 2048],
    ])
    expect(seen.filter((state, i) => state !== seen[i - 1])).toEqual(['loading', 'loaded', 'reading', 'loaded', 'reading', 'loaded'])
  })

  test('one use at a time, and another model takes the place of the one in memory', async () => {
    const held = gate()
    const { models, engine } = await kept(
      playedEngine(async () => {
        await held.opened
        return []
      }),
    )
    const answer = (id: string) => models.use(id, (loaded) => loaded.answer({ id }, { event: () => {} }, never), never)
    const both = Promise.all([answer('tiny'), answer('other')])
    await expect.poll(() => engine.bodies).toEqual([{ id: 'tiny' }])
    expect(models.views()[1]?.state).toEqual({ kind: 'loading' })
    held.open()
    await both
    expect(engine.bodies).toEqual([{ id: 'tiny' }, { id: 'other' }])
    expect(models.views().map(({ state }) => state.kind)).toEqual(['kept', 'loaded'])
  })

  test('one that is not here says what to do, and asks no server by itself', async () => {
    const { models, server } = await localWorld()
    await expect(models.use('tiny', async () => {}, never)).rejects.toMatchObject({
      message: expect.stringContaining('Download it in the settings'),
    })
    await expect(models.use('nobody', async () => {}, never)).rejects.toMatchObject({ code: 'command/invalid' })
    expect(server.asked).toEqual([])
  })

  test('one that is on its way is waited for; who stops waiting does not stop the download', async () => {
    const { models, only } = await localWorld()
    const stop = new AbortController()
    const downloading = models.download({ id: 'tiny' })
    const used = models.use('tiny', async () => {}, stop.signal)
    stop.abort(new Error('no longer'))
    await expect(used).rejects.toThrow('no longer')
    await downloading
    expect((await only()).state).toEqual({ kind: 'kept' })
    await models.use('tiny', async () => {}, never)
  })

  test('W10 an engine that died is a failure that another try may mend; one that refuses the model is not', async () => {
    const dying = await kept(
      playedEngine(async () => {
        throw new SideloopError('worker/dead', 'out of memory')
      }),
    )
    const answer = dying.models.use('tiny', (loaded) => loaded.answer({}, { event: () => {} }, never), never)
    await expect(answer).rejects.toMatchObject({ failure: { class: 'transport', transient: true } })
    const refusing = await kept()
    refusing.engine.load = async () => {
      throw new SideloopError('model/failed', 'unknown architecture')
    }
    await expect(refusing.models.use('tiny', async () => {}, never)).rejects.toMatchObject({
      failure: { class: 'provider', transient: false },
    })
  })

  test('a removed model is out of memory, too', async () => {
    const { models } = await kept()
    await models.use('tiny', async () => {}, never)
    await models.remove({ id: 'tiny' })
    expect(models.views()[0]?.state).toEqual({ kind: 'absent' })
  })

  test('S9 what another tab brought here can be chosen in this one', async () => {
    const tab = memoryChannels()
    const one = await localWorld({ channels: tab().channels })
    const two = await localWorld({ channels: tab().channels, stores: one.stores, weights: one.weights })
    await one.models.download({ id: 'tiny' })
    await expect.poll(() => two.models.choices().length).toBe(1)
  })
})
