// One step: one model request and the tool calls it asked for.
import type { ToolCallBlock } from '../../storage/log/content.ts'
import { callModel } from './call-model.ts'
import { commitReply } from './commit-reply.ts'
import type { Driver, Turn } from './driver.ts'
import { preparePrompt } from './prepare-prompt.ts'
import { GRACE_MS, settleWithin, throwIfStopped } from './stop.ts'
import { runToolCalls } from './tool-calls.ts'

/** `steered`: steering came in that the model has not seen yet. */
export type StepResult = { readonly ranTools: boolean; readonly steered: boolean; readonly cutByLimit: boolean }

export const runStep = async (driver: Driver, turn: Turn): Promise<StepResult> => {
  const { log } = driver
  throwIfStopped(turn.signal)
  drainSteering(driver, turn)
  const prompt = await settleWithin(preparePrompt(driver, turn), turn.signal, GRACE_MS)
  throwIfStopped(turn.signal)
  const derived = log.deriveMessages() // the boundary: what is appended from here on joins the next request
  log.append('step/start', { turn: turn.number, step: turn.step })
  try {
    throwIfStopped(turn.signal)
    const { request, reply } = await callModel(driver, turn, prompt, derived)
    const calls = await commitReply(driver, turn, request, reply)
    return await finishStep(driver, turn, calls, reply.finish.kind === 'max-tokens')
  } finally {
    log.append('step/end', { turn: turn.number, step: turn.step })
  }
}

/** The rest of a step that an earlier life left while one of its calls waited for a person. */
export const resumeStep = async (driver: Driver, turn: Turn, calls: readonly ToolCallBlock[]): Promise<StepResult> => {
  try {
    return await finishStep(driver, turn, calls, false)
  } finally {
    driver.log.append('step/end', { turn: turn.number, step: turn.step })
  }
}

const finishStep = async (driver: Driver, turn: Turn, calls: readonly ToolCallBlock[], cutByLimit: boolean): Promise<StepResult> => {
  if (calls.length > 0) await runToolCalls(driver, turn, calls)
  throwIfStopped(turn.signal)
  return { ranTools: calls.length > 0, steered: drainSteering(driver, turn), cutByLimit }
}

/** Steering enters between two steps; true if there was some. */
const drainSteering = ({ log, inbox }: Driver, turn: Turn): boolean => {
  const messages = inbox.take('step')
  for (const { id, content, source } of messages) {
    log.append('steering/message', { id, turn: turn.number, content, source }, { surfaceOp: 'append' })
    inbox.logged(id)
  }
  return messages.length > 0
}
