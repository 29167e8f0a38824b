// Runs the calls of one reply: neighbours that are safe together share a pool, any other call is a barrier, results keep the model's order.
import type { CallId, Json, ToolCallBlock } from '../../storage/log/content.ts'
import { messageOf } from '../../storage/log/errors.ts'
import type { HookContext, ToolOutcome } from '../hooks/tool.ts'
import { failed } from '../tools/outcome.ts'
import { readCallArguments } from './call-arguments.ts'
import { addContext, holdContexts, releaseContexts } from './contexts.ts'
import type { Driver, Turn } from './driver.ts'
import { isContent, readContext } from './read-input.ts'
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

/** What a listener put in the place of an outcome may be anything. */
const readOutcome = (outcome: ToolOutcome): ToolOutcome => {
  if (!isContent(outcome?.content) || typeof outcome.isError !== 'boolean' || typeof (outcome.error ?? {}) !== 'object')
    throw new TypeError('A listener of tools/execute or tools/post-execute gave something that is no outcome')
  return outcome
}

/** A tool that fails is a result. A policy or listener that throws is told to `onFailure`, and leaves a result all the same. */
const runOne = async (
  driver: Driver,
  turn: Turn,
  { call, args, refused }: Prepared,
  onFailure: (error: unknown) => void,
): Promise<ToolOutcome> => {
  if (refused !== undefined) return refused
  const { agent, tools } = driver
  try {
    const work = tools.execute({ callId: call.id, name: call.name, arguments: args, agent, signal: turn.signal })
    const outcome = await settleWithin(work, turn.signal, GRACE_MS, (late) => noteLate(driver, call, late))
    return readOutcome(outcome)
  } catch (error) {
    if (error instanceof TurnStopped) return OUTCOME_UNKNOWN
    onFailure(error)
    return failed('TOOL_FAILED', messageOf(error))
  }
}

const noteLate = ({ agent, log, report }: Driver, { id: callId }: ToolCallBlock, outcome: PromiseSettledResult<ToolOutcome>): void => {
  if (agent.status === 'disposed') return
  try {
    log.append('tool/late', { callId, isError: outcome.status === 'rejected' || outcome.value.isError === true })
  } catch (error) {
    report(error, 'tool/late')
  }
}

/** Gives the seq of the call, which an earlier life may have logged already. */
const recordCall = ({ log }: Driver, { number: turn, step }: Turn, { id, name, arguments: text }: ToolCallBlock): number =>
  log.callSeq(id) ?? log.append('tool/call', { turn, step, callId: id, name, arguments: text }).seq

const appendResult = (driver: Driver, { number: turn, step }: Turn, callId: string, callSeq: number, outcome: ToolOutcome): void => {
  const { content, isError, error, meta, additionalContexts } = outcome
  driver.log.append(
    'tool/result',
    { turn, step, callId, content, isError, ...(error === undefined ? {} : { error }), ...(meta === undefined ? {} : { meta }) },
    { surfaceOp: 'append', sourceEventSeqs: [callSeq] },
  )
  for (const context of additionalContexts ?? []) deferContext(driver, context)
}

/** One that cannot be logged must not spoil the result that it came with. */
const deferContext = (driver: Driver, context: HookContext): void => {
  try {
    addContext(driver, readContext(context))
  } catch (error) {
    driver.report(error, 'a context deferred by a tool')
  }
}

/** Starts no call after a stop or a failure; those that it started have their results in the log when it settles. */
const runBatch = async (driver: Driver, turn: Turn, batch: readonly Prepared[], begun: Set<CallId>): Promise<void> => {
  const done = new Map<number, () => void>()
  let started = 0
  let logged = 0
  let failure: { readonly error: unknown } | undefined
  const fail = (error: unknown): void => {
    failure ??= { error }
  }

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
      begun.add(prepared.call.id)
      const seq = recordCall(driver, turn, prepared.call)
      const outcome = await runOne(driver, turn, prepared, fail)
      done.set(i, () => appendResult(driver, turn, prepared.call.id, seq, outcome))
      logInOrder()
    }
  }
  await Promise.all(Array.from({ length: Math.min(batch.length, driver.maxParallelToolCalls) }, lane))
  if (failure !== undefined) throw failure.error
}

/** After it every call has its result in the log, whatever happened. Contexts that came meanwhile follow the last result. */
export const runToolCalls = async (driver: Driver, turn: Turn, calls: readonly ToolCallBlock[]): Promise<void> => {
  holdContexts(driver)
  const begun = new Set<CallId>()
  try {
    const prepared = await settleWithin(Promise.all(calls.map((call) => prepare(driver, call))), turn.signal, GRACE_MS)
    for (const batch of batches(prepared)) await runBatch(driver, turn, batch, begun)
  } finally {
    for (const call of calls) {
      if (!begun.has(call.id)) appendResult(driver, turn, call.id, recordCall(driver, turn, call), NOT_STARTED)
    }
    releaseContexts(driver)
  }
}
