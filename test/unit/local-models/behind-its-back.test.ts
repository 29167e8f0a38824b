// What others do to the models of this tab: another tab, the browser, a server, a crash. What is shown stays true.
import { describe, expect, test } from 'vitest'
import { gate } from '../../kit/gate.ts'
import { memoryChannels } from '../../kit/memory-channels.ts'
import { memoryWeights } from '../../kit/memory-weights.ts'
import { tinyGguf } from '../../kit/tiny-gguf.ts'
import { localWorld, never, OFFER, playedEngine, TINY } from './local-world.ts'

const quiet = { event: () => {} }

describe('W15 what is shown of a model is true', () => {
  test('S9 weights that another tab replaced under the same name are loaded anew, and the old ones leave memory', async () => {
    const tab = memoryChannels()
    const one = await localWorld({ offered: [], channels: tab().channels })
    const two = await localWorld({ offered: [], channels: tab().channels, stores: one.stores, weights: one.weights })
    const mine = { name: 'Mine.gguf', file: new Blob([TINY]) }
    const { id } = await one.models.add({ source: mine })
    await expect.poll(() => two.models.choices().length).toBe(1)
    await two.models.use(id, (loaded) => loaded.answer({}, quiet, never), never)
    await one.models.remove({ id })
    const other = new Blob([tinyGguf({ reply: ['Another', ' one'] })])
    expect(await one.models.add({ source: { ...mine, file: other } })).toEqual({ id })
    await expect.poll(() => two.models.views().map(({ here, state }) => [here, state.kind])).toEqual([[other.size, 'kept']])
    await two.models.use(id, (loaded) => loaded.answer({}, quiet, never), never)
    expect(two.engine.loads.map(({ files }) => files[0]?.blob.size)).toEqual([TINY.length, other.size])
  })

  test('whoever stops waiting for another model’s turn leaves no trace of it', async () => {
    const held = gate()
    const engine = playedEngine(async () => {
      await held.opened
      return []
    })
    const offered = [OFFER, { ...OFFER, id: 'other', url: 'https://models.example/o.gguf' }]
    const { models } = await localWorld({ engine, offered })
    await Promise.all(offered.map(({ id }) => models.download({ id })))
    const first = models.use('tiny', (loaded) => loaded.answer({}, quiet, never), never)
    await expect.poll(() => engine.bodies.length).toBe(1)
    const stop = new AbortController()
    const second = models.use('other', async () => {}, stop.signal)
    second.catch(() => {})
    await expect.poll(() => models.views()[1]?.state.kind).toBe('loading')
    stop.abort(new Error('stopped'))
    await expect(second).rejects.toThrow('stopped')
    expect(models.views()[1]?.state).toEqual({ kind: 'kept' })
    held.open()
    await first
  })

  test('weights that the browser removed are missed when they are used, and can be had again at once', async () => {
    const { models, weights } = await localWorld()
    await models.download({ id: 'tiny' })
    for (const { name } of await weights.list()) await weights.remove(name)
    await expect(models.use('tiny', async () => {}, never)).rejects.toThrow('Download it in the settings')
    expect(models.views()[0]).toMatchObject({ here: 0, state: { kind: 'absent' } })
    await models.download({ id: 'tiny' })
    expect(models.views()[0]?.state).toEqual({ kind: 'kept' })
  })

  test('a copy that a crash cut off is swept away with the next start; what is being written and what is known stays', async () => {
    const weights = memoryWeights()
    const orphan = await weights.write('orphan')
    orphan.append(new Uint8Array(5))
    orphan.close()
    await weights.write('another-tab-writes')
    const { models, stores } = await localWorld({ weights })
    await models.download({ id: 'tiny' })
    await expect.poll(() => [...weights.files.keys()].toSorted()).toEqual(['another-tab-writes', expect.stringContaining('tiny.gguf')])
    // What a newer version stored may be what a file belongs to.
    await stores.settings.set('local-models', [{ id: 'new', shape: 'unknown' }])
    const writer = await weights.write('of-a-newer-version')
    writer.close()
    await localWorld({ weights, stores })
    expect([...weights.files.keys()]).toContain('of-a-newer-version')
  })

  test('S4 a browser that keeps less than it took is out of room, which is said', async () => {
    const weights = memoryWeights()
    const forgetful = {
      ...weights,
      read: async (name: string) => (await weights.read(name))?.slice(0, 1_000_000),
    }
    const { models } = await localWorld({ weights: forgetful })
    await expect(models.download({ id: 'tiny' })).rejects.toMatchObject({ code: 'storage/quota' })
    expect(models.views()[0]).toMatchObject({ state: { kind: 'absent' }, failure: expect.stringContaining('kept 1.0 MB of 1.7 MB') })
    await expect(models.add({ source: { name: 'a.gguf', file: new Blob([TINY]) } })).rejects.toMatchObject({ code: 'storage/quota' })
    expect(models.views()).toHaveLength(1)
  })

  test('a stop is heard also while what runs the model is fetched; the model is here then', async () => {
    const engine = playedEngine()
    engine.warm = () => new Promise(() => {})
    const { models } = await localWorld({ engine })
    const downloading = models.download({ id: 'tiny' })
    await expect.poll(() => models.views()[0]?.here).toBe(TINY.length)
    await models.stop({ id: 'tiny' })
    await downloading
    expect(models.views()[0]?.state).toEqual({ kind: 'kept' })
  })

  test('a failure is forgotten when the model works after all', async () => {
    const engine = playedEngine()
    engine.warm = async () => {
      throw new Error('the engine did not start')
    }
    const { models } = await localWorld({ engine })
    await expect(models.download({ id: 'tiny' })).rejects.toThrow('did not start')
    expect(models.views()[0]?.failure).toContain('did not start')
    await models.use('tiny', async () => {}, never)
    expect(models.views()[0]?.failure).toBeUndefined()
  })
})
