// Asks the model until it answers, or until nobody wants to try again. Each attempt derives the messages anew.
import type { Message } from '../../storage/log/content.ts'
import { asError } from '../../storage/log/errors.ts'
import type { RequestErrorDecision } from '../hooks/hooks.ts'
import type { LlmRequest } from '../hooks/llm.ts'
import { buildRequest, type StepPrompt } from './build-request.ts'
import { collectReply, type Reply } from './collect-reply.ts'
import { holdContexts, releaseContexts } from './contexts.ts'
import type { Driver, Turn } from './driver.ts'
import { GRACE_MS, settleWithin, throwIfStopped } from './stop.ts'

export type Answered = { readonly request: LlmRequest; readonly reply: Reply }

/** Errors: `TurnStopped`; what a listener threw; the last failure, once nobody answers it with a retry. */
export const callModel = async (driver: Driver, turn: Turn, prompt: StepPrompt, derived: readonly Message[]): Promise<Answered> => {
  for (let messages = derived; ; messages = deriveAgain(driver)) {
    let request: LlmRequest | undefined
    try {
      request = await settleWithin(buildRequest(driver, turn, prompt, messages), turn.signal, GRACE_MS)
      throwIfStopped(turn.signal)
      return { request, reply: await collectReply(driver, turn, request) }
    } catch (thrown) {
      releaseContexts(driver)
      throwIfStopped(turn.signal)
      const wasSent = request !== undefined
      if (!wasSent || !(await isRetried(driver, turn, thrown))) throw thrown
    }
  }
}

/** What was injected since the last attempt is in the new one; what is injected from here on is logged behind its first chunk. */
const deriveAgain = (driver: Driver): readonly Message[] => {
  holdContexts(driver)
  return driver.log.deriveMessages()
}

const isRetried = async ({ agent, bus }: Driver, turn: Turn, thrown: unknown): Promise<boolean> => {
  const fail: RequestErrorDecision = { kind: 'fail' }
  const asked = bus.waterfall('agent/request-error', agent, turn.number, turn.step, asError(thrown), async () => fail)
  const decision = await settleWithin(asked, turn.signal, 0) // a policy that waits to try again is stopped at once
  throwIfStopped(turn.signal)
  return decision?.kind === 'retry'
}
