// Reads what a tool result says to the run. Parsed here, because tools are anybody's: what does not fit is no signal.
import type { Json, JsonObject } from '../../../storage/log/content.ts'
import type { StatusResult, TaskSignals } from '../../hooks/task-signals.ts'

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

const readStatus = (value: Json | undefined): StatusResult | undefined => {
  if (!isObject(value)) return undefined
  const { task, done, remaining, complete, hasExplicitFlag } = value
  if (typeof task !== 'string' || typeof done !== 'string') return undefined
  return {
    task,
    done,
    remaining: typeof remaining === 'string' ? remaining : '',
    complete: complete === true,
    hasExplicitFlag: hasExplicitFlag === true,
  }
}

/** Of `meta`, the key `signals`. */
export const readSignals = (meta: Json | undefined): TaskSignals => {
  const signals = isObject(meta) ? meta.signals : undefined
  if (!isObject(signals)) return {}
  const statusResult = readStatus(signals.statusResult)
  return {
    ...(signals.statusComplete === true ? { statusComplete: true } : {}),
    ...(statusResult === undefined ? {} : { statusResult }),
    ...(signals.setupComplete === true ? { setupComplete: true } : {}),
    ...(signals.awaitingUser === true ? { awaitingUser: true } : {}),
  }
}
