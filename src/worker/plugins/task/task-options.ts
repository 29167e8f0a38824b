// What a task run is asked for: its kind, its limits, and who is asked on the way. Read once, at the start.

import type { Json } from '../../../storage/log/content.ts'
import { SideloopError } from '../../../storage/log/errors.ts'
import type { TaskKind } from '../../../storage/log/events.ts'
import type { CompactionPort } from '../../hooks/compaction-port.ts'

export type TaskBudget = {
  /** Tokens of all calls together, in and out, cached ones too. */
  readonly tokens?: number
  /** US dollars. While a price is not known it limits nothing: money is never invented. */
  readonly cost?: number
  /** Milliseconds from the start of the run's turn. */
  readonly ms?: number
}

export interface TaskOptions {
  /** Default `task`. `explore`, `plan` and `setup` end with their first text; `explore` and `plan` may write nothing. */
  readonly kind?: TaskKind
  /** Default 100. */
  readonly maxSteps?: number
  /** Default 3. */
  readonly maxNudges?: number
  /** Default 3: the fourth identical call ends the run. */
  readonly maxDuplicateToolCalls?: number
  readonly budget?: TaskBudget
  /** Default: what the compaction plugin mounted, if it is there. */
  readonly compaction?: CompactionPort
  /** Folders that may be written in. Default: all. */
  readonly writeScope?: readonly string[]
  /** Asked before completion is accepted: a string sends the work back with that text. */
  completionGate?(): Promise<string | null>
  /** Asked once for each failed model call. Without it the run ends as `execution_error`. */
  onPausableError?(error: Error): Promise<'continue' | 'stop'>
  onProgress?(name: string, data: Json): void
}

export type ReadTaskOptions = Omit<TaskOptions, 'kind' | 'maxSteps' | 'maxNudges' | 'maxDuplicateToolCalls' | 'budget'> & {
  readonly kind: TaskKind
  readonly maxSteps: number
  readonly maxNudges: number
  readonly maxDuplicateToolCalls: number
  readonly budget: TaskBudget
}

const KINDS: { readonly [K in TaskKind]: true } = {
  orchestrator: true,
  task: true,
  interview: true,
  explore: true,
  plan: true,
  setup: true,
}

/** They end with their first text, and are never nudged. */
export const endsWithText = (kind: TaskKind): boolean => kind === 'explore' || kind === 'plan' || kind === 'setup'
export const isReadOnly = (kind: TaskKind): boolean => kind === 'explore' || kind === 'plan'

const invalid = (message: string): never => {
  throw new SideloopError('command/invalid', message)
}

const count = (name: string, given: number | undefined, byDefault: number, least: number): number => {
  if (given === undefined) return byDefault
  return Number.isInteger(given) && given >= least
    ? given
    : invalid(`${name} must be a whole number from ${least} on, not ${String(given)}`)
}

const limits = (given: TaskBudget = {}): TaskBudget => {
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !(typeof value === 'number' && value > 0)) invalid(`budget.${name} must be a number above 0`)
  return given
}

/** Errors: `command/invalid`, with the name of the option. */
export const readTaskOptions = (given: TaskOptions = {}): ReadTaskOptions => {
  const kind = given.kind ?? 'task'
  if (!Object.hasOwn(KINDS, kind)) invalid(`A task run is of the kind ${Object.keys(KINDS).join(', ')}, not "${String(kind)}"`)
  for (const name of ['completionGate', 'onPausableError', 'onProgress'] as const)
    if (given[name] !== undefined && typeof given[name] !== 'function') invalid(`${name} must be a function`)
  return {
    ...given,
    kind,
    maxSteps: count('maxSteps', given.maxSteps, 100, 1),
    maxNudges: count('maxNudges', given.maxNudges, 3, 0),
    maxDuplicateToolCalls: count('maxDuplicateToolCalls', given.maxDuplicateToolCalls, 3, 1),
    budget: limits(given.budget),
  }
}
