// What a figure means on this machine: the time of one structuredClone of a typical chunk event, taken in the same run.
const typicalEvent = {
  type: 'assistant/chunk',
  seq: 812,
  time: 1_796_053_507_949,
  data: { turn: 3, step: 1, chunk: { type: 'text-delta', index: 0, text: 'a few words ' } },
}

/** Microseconds a call, the best of five rounds: the machine is shared, and noise only ever adds. */
export const timePerCall = (calls: number, run: () => void, now = (): number => performance.now()): number => {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round += 1) {
    const start = now()
    run()
    best = Math.min(best, ((now() - start) * 1000) / calls)
  }
  return best
}

export const calibrate = (now?: () => number): number => {
  const calls = 20_000
  const clone = (): void => {
    for (let i = 0; i < calls; i += 1) structuredClone(typicalEvent)
  }
  return timePerCall(calls, clone, now)
}

/** The machine on which the limits were set needs this long for one clone, in microseconds. */
const reference = 2

export type Row = { readonly what: string; readonly us: number; readonly limitUs: number }

/** Each figure also as a multiple of the calibration, beside the multiple that its limit implies. */
export const report = (calibration: number, rows: readonly Row[]): void => {
  console.log(`calibration: ${calibration.toFixed(2)} µs a clone`)
  for (const { what, us, limitUs } of rows) {
    const multiple = us / calibration
    const limit = limitUs / reference
    const verdict = multiple <= limit ? '' : '  above'
    console.log(
      `${what.padEnd(46)} ${us.toFixed(3).padStart(12)} µs  ${multiple.toFixed(2).padStart(10)} ×  limit ${limit.toFixed(2)} ×${verdict}`,
    )
  }
}
