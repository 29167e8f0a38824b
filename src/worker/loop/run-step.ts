// One step: one model request and the tool calls it asked for.
import type { Message } from '../../storage/log/content.ts'
import { freezeJson } from '../../storage/log/lossless-json.ts'
import type { ModelCallError, RequestErrorDecision } from '../hooks/hooks.ts'
import type { LlmRequest } from '../hooks/llm.ts'
import { renderPrompt } from '../prompt/render-prompt.ts'
import { buildRequest, type StepPrompt } from './build-request.ts'
import { collectReply, type Reply } from './collect-reply.ts'
import { commitReply } from './commit-reply.ts'
import type { Driver, Turn } from './driver.ts'
import { GRACE_MS, settleWithin, throwIfStopped } from './stop.ts'
import { runToolCalls } from './tool-calls.ts'

/** `steered`: steering came in that the model has not seen yet. */
export type StepResult = { readonly ranTools: boolean; readonly steered: boolean; readonly cutByLimit: boolean }

/** Steering enters between two steps; true if there was some. */
const drainSteering = ({ log, inbox }: Driver, turn: Turn): boolean => {
  const messages = inbox.take('step')
  for (const { id, content, source } of messages) {
    log.append('steering/message', { id, turn: turn.number, content, source }, { surfaceOp: 'append' })
    inbox.logged(id)
  }
  return messages.length > 0
}

const sessionPrefix = async ({ agent, bus }: Driver, turn: Turn): Promise<readonly Message[]> => {
  const none: readonly Message[] = []
  return freezeJson(await bus.waterfall('agent/session-prefix', agent, none, turn.signal, async () => none))
}

const preparePrompt = async (driver: Driver, turn: Turn): Promise<StepPrompt> => {
  const { agent, bus, prompt } = driver
  const assembly = await prompt.assemble({ agent })
  throwIfStopped(turn.signal)
  const system = renderPrompt(assembly)
  driver.prefix ??= await sessionPrefix(driver, turn)
  throwIfStopped(turn.signal)
  await bus.serial('agent/pre-step', agent, turn.number, turn.step, system, driver.prefix, turn.signal)
  throwIfStopped(turn.signal)
  return { system, tools: assembly.tools, prefix: driver.prefix }
}

const asError = (thrown: unknown): ModelCallError => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/** Asks the model until it answers, or until nobody wants to try again. Each attempt derives the messages anew. */
const callModel = async (
  driver: Driver,
  turn: Turn,
  prompt: StepPrompt,
  derived: readonly Message[],
): Promise<{ readonly request: LlmRequest; readonly reply: Reply }> => {
  const { agent, bus, log } = driver
  for (let messages = derived; ; messages = log.deriveMessages()) {
    const request = await settleWithin(buildRequest(driver, turn, prompt, messages), turn.signal, GRACE_MS)
    throwIfStopped(turn.signal)
    try {
      return { request, reply: await collectReply(driver, turn, request) }
    } catch (thrown) {
      throwIfStopped(turn.signal)
      const error = asError(thrown)
      const decision = await settleWithin(
        bus.waterfall(
          'agent/request-error',
          agent,
          turn.number,
          turn.step,
          error,
          async (): Promise<RequestErrorDecision> => ({ kind: 'fail' }),
        ),
        turn.signal,
        0,
      )
      throwIfStopped(turn.signal)
      if (decision.kind !== 'retry') throw error
    }
  }
}

export const runStep = async (driver: Driver, turn: Turn): Promise<StepResult> => {
  const { log } = driver
  drainSteering(driver, turn)
  const prompt = await settleWithin(preparePrompt(driver, turn), turn.signal, GRACE_MS)
  throwIfStopped(turn.signal)
  const derived = log.deriveMessages() // the boundary: what is appended from here on joins the next request
  log.append('step/start', { turn: turn.number, step: turn.step })
  try {
    throwIfStopped(turn.signal)
    const { request, reply } = await callModel(driver, turn, prompt, derived)
    const calls = await commitReply(driver, turn, request, reply)
    if (calls.length > 0) await runToolCalls(driver, turn, calls)
    throwIfStopped(turn.signal)
    const steered = drainSteering(driver, turn)
    return { ranTools: calls.length > 0, steered, cutByLimit: reply.finish.kind === 'max-tokens' }
  } finally {
    log.append('step/end', { turn: turn.number, step: turn.step })
  }
}
