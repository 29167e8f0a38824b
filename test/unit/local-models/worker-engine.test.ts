// An engine in a worker, played by the test: what is heard, what is stopped, and what is ended when it does not stop.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { EngineCrash, type EngineInWorker } from '../../../src/worker/capabilities/local-models/serve-engine.ts'
import { workerEngine } from '../../../src/worker/capabilities/local-models/worker-engine.ts'
import { type EngineWorker, engineWorker } from '../../kit/engine-worker.ts'
import { gate, orAbort } from '../../kit/gate.ts'

const never = new AbortController().signal
const files = [{ name: 'a', blob: new Blob(['GGUF']) }]
const settings = { contextWindow: 512 }
const heard = () => {
  const events: string[] = []
  return { events, event: (json: string) => void events.push(json) }
}

const world = (engine: Partial<EngineInWorker> = {}, start?: () => Promise<EngineInWorker>) => {
  const workers: EngineWorker[] = []
  const unloaded: string[] = []
  const whole: EngineInWorker = {
    load: async () => ({ contextWindow: 256 }),
    answer: async (body, on) => on.event(JSON.stringify(body)),
    unload: () => void unloaded.push('unloaded'),
    ...engine,
  }
  const createWorker = () => {
    const made = engineWorker(start ?? (async () => whole))
    workers.push(made)
    return made.worker
  }
  return { workers, unloaded, engine: workerEngine({ createWorker, stopMs: 1000 }) }
}

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => vi.useRealTimers())

describe('W15 an engine in a worker', () => {
  test('it loads and answers; the window is the one that the engine has', async () => {
    const { engine } = world()
    const model = await engine.load(files, settings, never)
    const on = heard()
    await model.answer({ messages: [] }, on, never)
    expect(model.contextWindow).toBe(256)
    expect(on.events).toEqual(['{"messages":[]}'])
  })

  test('weights that it refuses are an error with its words, and the next model loads in the same worker', async () => {
    let first = true
    const { engine, workers } = world({
      async load() {
        if (!first) return { contextWindow: 1 }
        first = false
        throw new Error('unknown architecture')
      },
    })
    await expect(engine.load(files, settings, never)).rejects.toMatchObject({
      code: 'model/failed',
      message: expect.stringContaining('unknown architecture'),
    })
    await engine.load(files, settings, never)
    expect(workers).toHaveLength(1)
  })

  test('code that cannot be fetched is an error of the start, and is fetched anew the next time', async () => {
    let online = false
    const { engine } = world({}, async () => {
      if (!online) throw new Error('failed to fetch')
      return { load: async () => ({ contextWindow: 1 }), answer: async () => {} }
    })
    await expect(engine.warm()).rejects.toMatchObject({ code: 'worker/start' })
    online = true
    await engine.warm()
  })

  test('an error of the request is told as an event; the model lives', async () => {
    const { engine } = world({
      async answer() {
        throw new Error('exceeds the available context size')
      },
    })
    const model = await engine.load(files, settings, never)
    const on = heard()
    await model.answer({}, on, never)
    expect(JSON.parse(on.events[0] ?? '')).toEqual({ error: { message: 'exceeds the available context size' } })
    expect(model.isAlive).toBe(true)
  })

  test('a crash is an error, and the model is gone', async () => {
    const { engine, unloaded } = world({
      async answer() {
        throw new EngineCrash('out of memory')
      },
    })
    const model = await engine.load(files, settings, never)
    await expect(model.answer({}, heard(), never)).rejects.toMatchObject({
      code: 'worker/dead',
      message: expect.stringContaining('out of memory'),
    })
    expect(model.isAlive).toBe(false)
    await vi.waitFor(() => expect(unloaded).toEqual(['unloaded']))
  })

  test('L20 an answer that stops when told is settled with the reason, and what it still says is not heard', async () => {
    const { engine } = world({
      async answer(_body, on, signal) {
        on.event('1')
        await orAbort(new Promise(() => {}), signal).catch(() => {})
        on.event('late')
      },
    })
    const model = await engine.load(files, settings, never)
    const stop = new AbortController()
    const events: string[] = []
    const event = (json: string) => {
      events.push(json)
      stop.abort(new Error('enough'))
    }
    await expect(model.answer({}, { event }, stop.signal)).rejects.toThrow('enough')
    expect(events).toEqual(['1'])
    expect(model.isAlive).toBe(true)
  })

  test('L20 one that does not stop is unloaded after a while, and ended if that does not help', async () => {
    const begun = gate()
    const { engine, workers, unloaded } = world({
      answer: async () => {
        begun.open()
        await new Promise(() => {})
      },
    })
    const model = await engine.load(files, settings, never)
    const stop = new AbortController()
    const answer = model.answer({}, heard(), stop.signal)
    answer.catch(() => {})
    await begun.opened
    stop.abort(new Error('enough'))
    await vi.advanceTimersByTimeAsync(1000)
    await vi.waitFor(() => expect(unloaded).toEqual(['unloaded']))
    expect(workers[0]?.ended).toBe(false)
    await vi.advanceTimersByTimeAsync(1000)
    await expect(answer).rejects.toThrow('enough')
    expect(workers[0]?.ended).toBe(true)
    expect((await engine.load(files, settings, never)).isAlive).toBe(true)
  })

  test('an engine that cannot unload is ended with its model', async () => {
    const { engine, workers } = world({}, async () => ({ load: async () => ({ contextWindow: 1 }), answer: async () => {} }))
    const model = await engine.load(files, settings, never)
    model.unload()
    expect(workers[0]?.ended).toBe(true)
    await engine.load(files, settings, never)
    expect(workers).toHaveLength(2)
  })

  test('another model takes the place of the one before', async () => {
    const { engine, unloaded } = world()
    const one = await engine.load(files, settings, never)
    const two = await engine.load(files, settings, never)
    expect([one.isAlive, two.isAlive, unloaded.length]).toEqual([false, true, 1])
    await expect(one.answer({}, heard(), never)).rejects.toMatchObject({ code: 'worker/dead' })
  })

  test('a worker that dies fails what is under way; the next model gets a new one', async () => {
    const begun = gate()
    const { engine, workers } = world({
      answer: async () => {
        begun.open()
        await new Promise(() => {})
      },
    })
    const model = await engine.load(files, settings, never)
    const answer = model.answer({}, heard(), never)
    await begun.opened
    workers[0]?.dies('RangeError: out of memory')
    await expect(answer).rejects.toMatchObject({ code: 'worker/dead', message: expect.stringContaining('out of memory') })
    await engine.load(files, settings, never)
    expect(workers).toHaveLength(2)
  })

  test('a worker whose file is missing never started', async () => {
    const { engine, workers } = world({ load: () => new Promise(() => {}) })
    const loading = engine.load(files, settings, never)
    workers[0]?.dies('')
    await expect(loading).rejects.toMatchObject({ code: 'worker/start', message: expect.stringContaining('its file could not be loaded') })
  })

  test('a load that is aborted is settled with the reason, also when the engine goes on loading', async () => {
    const { engine, workers } = world({ load: () => new Promise(() => {}) })
    const stop = new AbortController()
    const loading = engine.load(files, settings, stop.signal)
    loading.catch(() => {})
    stop.abort(new Error('not now'))
    await vi.advanceTimersByTimeAsync(1000)
    await expect(loading).rejects.toThrow('not now')
    expect(workers[0]?.ended).toBe(true)
  })
})
