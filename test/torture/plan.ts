// What is killed when, from a seed alone: the same seed makes the same plan, as far as it is a plan.
import { MOMENTS, type MomentName } from './moments.ts'
import { type Random, randomFrom } from './random.ts'

/** `crash`: the renderer crashes. `renderer`: its process is killed. `browser`: all of its processes are. `worker`: the agent's alone ends. */
export const KILLS = ['crash', 'renderer', 'worker', 'browser'] as const
export type Kill = (typeof KILLS)[number]

export type Step = {
  readonly moment: MomentName
  readonly kill: Kill
  /** Kills that follow at once, before anybody has looked: while the next tab takes over. */
  readonly more: readonly Kill[]
}
/** One session in so many tabs, until the browser is killed. */
export type Chapter = { readonly tabs: number; readonly steps: readonly Step[] }

const NAMES = Object.keys(MOMENTS) as readonly MomentName[]
const STEPS = 7

const killOf = (random: Random): Kill => (random.chance(0.15) ? 'worker' : random.chance(0.45) ? 'renderer' : 'crash')

/** Every moment once before any comes again. */
const shuffled = (random: Random): readonly MomentName[] => {
  const keyed = NAMES.map((name) => ({ name, key: random.next() }))
  return keyed.toSorted((a, b) => a.key - b.key).map(({ name }) => name)
}

export const planOf = (seed: number, kills: number): readonly Chapter[] => {
  const random = randomFrom(seed)
  const chapters: Chapter[] = []
  let moments: readonly MomentName[] = []
  let left = kills
  while (left > 0) {
    const tabs = 1 + random.below(4)
    const steps: Step[] = []
    while (steps.length < STEPS && left > 0) {
      if (moments.length === 0) moments = shuffled(random)
      const [moment, ...rest] = moments
      if (moment === undefined) break
      moments = rest
      const kill = steps.length === STEPS - 1 ? 'browser' : killOf(random)
      const more = kill !== 'browser' && tabs > 2 && left > 2 && random.chance(0.25) ? [killOf(random)] : []
      steps.push({ moment, kill, more })
      left -= 1 + more.length
    }
    chapters.push({ tabs, steps })
  }
  return chapters
}
