// B7 of design/performance.md: opening a session of 100,000 events with a real worker, over its port, folded on the page.
import { expect, it } from 'vitest'
import { cdp } from 'vitest/browser'
import { openIdbStorage } from '../../src/storage/idb/open-idb-storage.ts'
import type { SessionEvent } from '../../src/storage/log/events.ts'
import { type Client, connect } from '../../src/worker/client/connect.ts'
import type { ClientSession } from '../../src/worker/client/session.ts'
import { rowOf } from '../contract/session-samples.ts'
import { calibrate } from './calibration.ts'
import { EVENTS_A_TURN, longLog } from './long-log.ts'

const ROUNDS = 7

const store = async (log: readonly SessionEvent[]): Promise<void> => {
  const { sessions, close } = openIdbStorage()
  await sessions.remove('long')
  await sessions.create(rowOf('long'))
  const { epoch } = await sessions.claim('long')
  await sessions.commit({ sessionId: 'long', epoch, events: log }, 'strict')
  close()
}

const whole = (session: ClientSession, length: number): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (session.view.length >= length && session.view.earlier === undefined && session.view.live !== undefined) resolve()
    }
    session.subscribe(look)
    look()
  })

type Debugger = { send(method: string, params?: object): Promise<unknown> }

const heap = async (): Promise<number> => {
  const session = cdp() as Debugger
  await session.send('HeapProfiler.collectGarbage')
  return ((await session.send('Runtime.getHeapUsage')) as { readonly usedSize: number }).usedSize / 1e6
}

const newClient = async (): Promise<Client> => {
  const client = await connect(
    () => new Worker(new URL('../../src/worker/host/entries/browser.worker.ts', import.meta.url), { type: 'module' }),
  )
  // What every worker loads before its first session: here it comes module by module, in the application as a few files.
  const first = await client.sessions.create()
  first.close()
  await client.sessions.remove(first.id)
  return client
}

const best = (values: readonly number[]): string => Math.min(...values).toFixed(0)
const median = (values: readonly number[]): string => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!.toFixed(0)

it('B7: opening a session of 100,000 events', async () => {
  const log = longLog()
  await store(log)
  const blocks: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) blocks.push(duration)
  })
  const figures = { newest: [] as number[], whole: [] as number[], memory: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    const client = await newClient()
    const before = await heap()
    observer.observe({ type: 'longtask' })
    const start = performance.now()
    const session = await client.sessions.open('long')
    figures.newest.push(performance.now() - start)
    expect(session.view.earlier).toBe('loading')
    await whole(session, log.length)
    figures.whole.push(performance.now() - start)
    observer.disconnect()
    figures.memory.push((await heap()) - before)
    const { pages, open } = session.view.transcript
    expect([...pages.flat(), ...open].length).toBe(2 * (log.length / EVENTS_A_TURN))
    client.close()
  }
  console.log(
    [
      `calibration: structuredClone of one chunk event ${calibrate().toFixed(2)} µs`,
      `B7 ${log.length.toLocaleString('en')} events, best and median of ${ROUNDS}`,
      `   newest part on the page        ${best(figures.newest)} ms, ${median(figures.newest)} ms (limit 100)`,
      `   whole log read and folded      ${best(figures.whole)} ms, ${median(figures.whole)} ms (limit 400)`,
      `   memory on the page             ${Math.max(...figures.memory).toFixed(1)} MB (limit 20)`,
      `   longest block of the page      ${Math.max(0, ...blocks).toFixed(0)} ms (limit 50)`,
    ].join('\n'),
  )
})
