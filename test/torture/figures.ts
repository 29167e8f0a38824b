// The figures of a kill test, and what it prints at its end.
import type { SessionEvent } from '../../src/storage/log/events.ts'
import type { World } from './world.ts'

export interface Figures {
  kill(kind: string, moment: string): void
  /** Milliseconds from the kill of the tab that drove to the first frame of the next one, its new events included. */
  takeover(ms: number): void
  readonly kills: number
  print(world: World, seed: number): void
  /** For whoever judges the run: each of these has to be zero. */
  violations(world: World): { readonly [what: string]: number }
}

const counted = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0)

/** What kills leave in logs, and what was under way: a test that meets none of it proves nothing. */
const tracesIn = (events: readonly SessionEvent[]): ReadonlyMap<string, number> => {
  const traces = events.flatMap((event) => {
    switch (event.type) {
      case 'turn/end':
        return [`turns ${event.data.reason.kind}`]
      case 'assistant/message':
        return event.data.interrupted ? ['replies interrupted'] : []
      case 'tool/result':
        return event.data.error === undefined ? [] : [`calls ${event.data.error.code}`]
      case 'compaction/end':
        return [`compactions ${event.data.outcome}`]
      case 'task/ended':
        return [`tasks ${event.data.result.exitReason}`]
      default:
        return []
    }
  })
  const counts = new Map<string, number>()
  for (const trace of traces) counts.set(trace, (counts.get(trace) ?? 0) + 1)
  return counts
}

export const createFigures = (): Figures => {
  const kinds = new Map<string, number>()
  const moments = new Map<string, number>()
  const takeovers: number[] = []
  const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)

  return {
    kill(kind, moment) {
      add(kinds, kind)
      add(moments, moment)
    },
    takeover: (ms) => void takeovers.push(ms),
    get kills() {
      return [...kinds.values()].reduce((total, count) => total + count, 0)
    },
    violations({ violations, model }) {
      const of = (...among: readonly string[]): number => violations.filter(({ kind }) => among.includes(kind)).length
      return {
        'lost facts': of('lost'),
        doubled: of('doubled'),
        changed: of('changed'),
        'half copies': of('half'),
        'invalid logs': of('invalid') + model.problems.length,
        'unfinished runs': of('unfinished'),
      }
    },
    print(world, seed) {
      const { ledger, refusals, model, missed, thrownAway } = world
      const { wishes, events } = ledger.facts
      const sorted = takeovers.toSorted((a, b) => a - b)
      const acknowledged = new Map<string, number>()
      for (const { wish, outcome } of ledger.all) if (outcome === 'acknowledged') add(acknowledged, wish.kind)
      const rows = Object.entries(this.violations(world))
        .map(([what, count]) => `${what.padEnd(24)}${count}`)
        .join('\n')
      console.log(`
seed                    ${seed}
kills                   ${this.kills}
  by kind               ${counted(kinds)}
  at the moment of      ${counted(moments)}
  moments missed        ${missed}
acknowledged facts      ${wishes} wishes, ${events} stored events
  of which              ${counted(acknowledged)}
without an answer       ${ledger.all.filter(({ outcome }) => outcome === 'unknown').length}
${rows}
thrown away by browser  ${thrownAway} databases, found corrupt when it started again
in the logs             ${counted(tracesIn(ledger.logs().flat()))}
model requests          ${model.requests}, of which a strict server refuses ${model.problems.length}
takeovers               ${sorted.length}: median ${at(sorted, 0.5)} ms, 95th ${at(sorted, 0.95)} ms, longest ${at(sorted, 1)} ms, above a second ${sorted.filter((ms) => ms > 1000).length}`)
      if (refusals.size > 0) console.log(`other refusals          ${counted(refusals)}`)
      for (const problem of model.problems.slice(0, 10)) console.log(`  ${problem}`)
    },
  }
}
