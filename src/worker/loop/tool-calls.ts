// Runs the calls of one reply: neighbours that are safe together share a pool, any other call is a barrier, results keep the model's order.
import type { Json, ToolCallBlock } from '../../storage/log/content.ts'
import { messageOf } from '../../storage/log/errors.ts'
import type { ToolOutcome } from '../hooks/tool.ts'
import { failed } from '../tools/outcome.ts'
import { readCallArguments } from './call-arguments.ts'
import { appendContext, type Driver, type Turn } from './driver.ts'
import { GRACE_MS, settleWithin, TurnStopped } from './stop.ts'

/** A call with its arguments read once; unreadable ones are an outcome already. */
type Prepared = { readonly call: ToolCallBlock; readonly args: Json; readonly refused: ToolOutcome | undefined; readonly parallel: boolean }

const NOT_STARTED = failed('ABORTED_BEFORE_DISPATCH', 'the turn was stopped before this call started; it had no effect.')
const OUTCOME_UNKNOWN = failed(
  'TOOL_OUTCOME_UNKNOWN',
  'the turn was stopped while this call was running; it may still have had effects. Check before you repeat it.',
)

const prepare = async ({ tools }: Driver, call: ToolCallBlock): Promise<Prepared> => {
  const tool = tools.schemas().find(({ name }) => name === call.name)
  const read = await readCallArguments(call.arguments, tool?.parameters)
  if (read.ok) return { call, args: read.value, refused: undefined, parallel: tools.isConcurrencySafe(call.name, read.value) }
  // Of a tool that does not exist the pipeline says so, with the real names.
  return { call, args: {}, refused: tool && failed('INVALID_ARGS', read.message), parallel: false }
}

/** Neighbouring parallel calls together, every other call alone. */
const batches = (calls: readonly Prepared[]): readonly (readonly Prepared[])[] => {
  const groups: Prepared[][] = []
  for (const call of calls) {
    const last = groups.at(-1)
    if (call.parallel && last?.[0]?.parallel) last.push(call)
    else groups.push([call])
  }
  return groups
}

/** A tool that fails is a result. A policy or listener that throws is told to `onFailure`, and leaves a result all the same. */
const runOne = async (
  driver: Driver,
  turn: Turn,
  { call, args, refused }: Prepared,
  onFailure: (error: unknown) => void,
): Promise<ToolOutcome> => {
  if (refused !== undefined) return refused
  const { agent, tools, log } = driver
  const late = (outcome: PromiseSettledResult<ToolOutcome>): void => {
    if (agent.status === 'disposed') return
    log.append('tool/late', { callId: call.id, isError: outcome.status === 'rejected' || outcome.value.isError })
  }
  try {
    const work = tools.execute({ callId: call.id, name: call.name, arguments: args, agent, signal: turn.signal })
    return await settleWithin(work, turn.signal, GRACE_MS, late)
  } catch (error) {
    if (error instanceof TurnStopped) return OUTCOME_UNKNOWN
    onFailure(error)
    return failed('TOOL_FAILED', messageOf(error))
  }
}

const appendCall = ({ log }: Driver, { number: turn, step }: Turn, { id, name, arguments: text }: ToolCallBlock): number =>
  log.append('tool/call', { turn, step, callId: id, name, arguments: text }).seq

const appendResult = (driver: Driver, { number: turn, step }: Turn, callId: string, callSeq: number, outcome: ToolOutcome): void => {
  const { content, isError, error, meta, additionalContexts } = outcome
  driver.log.append(
    'tool/result',
    { turn, step, callId, content, isError, ...(error === undefined ? {} : { error }), ...(meta === undefined ? {} : { meta }) },
    { surfaceOp: 'append', sourceEventSeqs: [callSeq] },
  )
  driver.heldContexts?.push(...(additionalContexts ?? []))
}

const runBatch = async (driver: Driver, turn: Turn, batch: readonly Prepared[]): Promise<void> => {
  const done = new Map<number, () => void>()
  let started = 0
  let logged = 0
  let failure: { readonly error: unknown } | undefined

  /** Results wait for those of the calls before them. */
  const logInOrder = (): void => {
    for (let log = done.get(logged); log !== undefined; log = done.get(logged)) {
      logged++
      log()
    }
  }
  const lane = async (): Promise<void> => {
    while (started < batch.length && !turn.signal.aborted && failure === undefined) {
      const i = started++
      const prepared = batch[i]!
      const seq = appendCall(driver, turn, prepared.call)
      const outcome = await runOne(driver, turn, prepared, (error) => {
        failure ??= { error }
      })
      done.set(i, () => appendResult(driver, turn, prepared.call.id, seq, outcome))
      logInOrder()
    }
  }
  await Promise.all(Array.from({ length: Math.min(batch.length, driver.maxParallelToolCalls) }, lane))
  leaveOut(driver, turn, batch.slice(started))
  if (failure !== undefined) throw failure.error
}

const leaveOut = (driver: Driver, turn: Turn, calls: readonly Prepared[]): void => {
  for (const { call } of calls) appendResult(driver, turn, call.id, appendCall(driver, turn, call), NOT_STARTED)
}

/** After it every call has its result in the log, whatever happened. Contexts that came meanwhile follow the last result. */
export const runToolCalls = async (driver: Driver, turn: Turn, calls: readonly ToolCallBlock[]): Promise<void> => {
  driver.heldContexts = []
  const waiting = [...batches(await Promise.all(calls.map((call) => prepare(driver, call))))]
  try {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) await runBatch(driver, turn, batch)
  } finally {
    leaveOut(driver, turn, waiting.flat())
    const contexts = driver.heldContexts
    driver.heldContexts = undefined
    for (const context of contexts) appendContext(driver, context)
  }
}
