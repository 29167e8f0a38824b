// B1 and B4: appending to a live log with one observer, at different lengths, and a listener that reads all events each time.
import { createSessionLog } from '../../src/storage/log/session-log.ts'
import { calibrate, report } from './calibration.ts'

const createLog = (onEvent: () => void) => {
  const header = { version: 1 as const, id: 'bench', createdAt: 0 }
  const log = createSessionLog({ header, now: () => 0, onEvent })
  log.append('turn/start', { turn: 1, trigger: { kind: 'continue', source: { kind: 'user' } } })
  return log
}

const appendMany = (log: ReturnType<typeof createLog>, count: number): number => {
  const start = performance.now()
  for (let i = 0; i < count; i += 1) {
    log.append('assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'a few words ' } })
  }
  return ((performance.now() - start) * 1000) / count
}

const calibration = calibrate()
appendMany(
  createLog(() => {}),
  50_000,
)

const log = createLog(() => {})
const first = appendMany(log, 100_000)
appendMany(log, 800_000)
const last = appendMany(log, 100_000)

let read = 0
let reader: ReturnType<typeof createLog> | undefined
reader = createLog(() => {
  read += reader?.events().length ?? 0
})
const plain = appendMany(
  createLog(() => {}),
  40_000,
)
const reading = appendMany(reader, 40_000)

report(calibration, [
  { what: 'B1 append, the first 100,000', us: first, limitUs: 1.5 },
  { what: 'B1 append, the last 100,000 of a million', us: last, limitUs: 1.5 },
  { what: 'B4 reading all events at each of 40,000, total', us: Math.max(0, reading - plain) * 40_000, limitUs: 100_000 },
])
if (read === 0) throw new Error('The listener read nothing.')
