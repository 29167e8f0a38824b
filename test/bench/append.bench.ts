// B1 and B4: appending to a live log with one observer, at different lengths, and a listener that reads all events each time.
import { createSessionLog, type SessionLog } from '../../src/storage/log/session-log.ts'
import { calibrate, report } from './calibration.ts'
import { threadClock } from './thread-clock.ts'

const createLog = (onEvent: () => void = () => {}): SessionLog => {
  const header = { version: 1 as const, id: 'bench', createdAt: 0 }
  const log = createSessionLog({ header, now: () => 0, onEvent })
  log.append('turn/start', { turn: 1, trigger: { kind: 'continue', source: { kind: 'user' } } })
  return log
}

/** Microseconds an event. */
const appendMany = (log: SessionLog, count: number): number => {
  const start = threadClock.now()
  for (let i = 0; i < count; i += 1) {
    log.append('assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'a few words ' } })
  }
  return ((threadClock.now() - start) * 1000) / count
}

const calibration = calibrate(threadClock.now)
appendMany(createLog(), 50_000)

const log = createLog()
const tenths = Array.from({ length: 10 }, () => appendMany(log, 100_000))
const [first = 0, last = 0] = [tenths[0], tenths.at(-1)]

/** What reading costs on top, microseconds an event: the median of several rounds, each beside one that does not read. */
const readingCosts = (): number => {
  let read = 0
  const costs = Array.from({ length: 7 }, () => {
    const plain = appendMany(createLog(), 40_000)
    let reader: SessionLog | undefined
    reader = createLog(() => {
      const events = reader?.events()
      read += (events?.length ?? 0) + (events?.at(-1)?.seq ?? 0)
    })
    return appendMany(reader, 40_000) - plain
  })
  if (read === 0) throw new Error('The listener read nothing.')
  return Math.max(0, costs.toSorted((a, b) => a - b)[3] ?? 0)
}

console.log(threadClock.what)
report(calibration, [
  { what: 'B1 append, the first 100,000', us: first, limitUs: 1.5 },
  { what: 'B1 append, the last 100,000 of a million', us: last, limitUs: 1.5 },
  { what: 'B4 reading all events at each of 40,000, total', us: readingCosts() * 40_000, limitUs: 100_000 },
])
console.log(`B1 by hundred thousand: ${tenths.map((us) => us.toFixed(2)).join(' ')} µs`)
