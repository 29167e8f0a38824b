// The opening of a turn: each message that waited passes `agent/prompt-submit` and enters the log, or is blocked.
import { messageOf } from '../../storage/log/errors.ts'
import type { Waiting } from '../../storage/log/waiting.ts'
import type { PromptDecision } from '../hooks/hooks.ts'
import { appendContext, type Driver, type Turn } from './driver.ts'
import { GRACE_MS, settleWithin, TurnStopped } from './stop.ts'

export type Submitted = { readonly kind: 'admitted' } | { readonly kind: 'rejected'; readonly reason: string }

const ALLOW: PromptDecision = { kind: 'allow' }

const log = (driver: Driver, message: Waiting, decision: PromptDecision): void => {
  const { id, content, source } = message
  if (decision.kind === 'block') {
    driver.log.append('prompt/blocked', { id, content, source, reason: decision.reason })
  } else {
    driver.log.append('user/message', { id, content: decision.content ?? content, source }, { surfaceOp: 'append' })
    for (const context of decision.additionalContexts ?? []) appendContext(driver, context)
  }
  driver.inbox.logged(id)
}

/**
 * Every message ends up in the log: a listener that throws, or that is still thinking when the turn is stopped, leaves its message as
 * blocked, so that nothing unchecked reaches the model and nothing is lost. A disposal leaves what is not logged in the durable inbox.
 */
export const submitPrompts = async (
  driver: Driver,
  turn: Turn,
  messages: readonly Waiting[],
  isDisposed: () => boolean,
): Promise<Submitted> => {
  const { agent, bus } = driver
  let admitted = messages.length === 0
  let failure: { readonly error: unknown } | undefined
  let reason = ''
  for (const message of messages) {
    let decision: PromptDecision
    try {
      if (failure !== undefined) throw failure.error
      const asked = bus.waterfall('agent/prompt-submit', agent, message.content, message.source, async () => ALLOW)
      decision = await settleWithin(asked, turn.signal, GRACE_MS)
    } catch (error) {
      if (isDisposed()) throw error
      failure ??= { error }
      decision = {
        kind: 'block',
        reason: error instanceof TurnStopped ? 'The turn was stopped before this message was checked' : messageOf(error),
      }
    }
    log(driver, message, decision)
    if (decision.kind === 'block') reason = decision.reason
    else admitted = true
  }
  if (failure !== undefined) throw failure.error
  return admitted ? { kind: 'admitted' } : { kind: 'rejected', reason }
}
