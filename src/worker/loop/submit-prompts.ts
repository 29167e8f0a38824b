// The opening of a turn: each message that waited passes `agent/prompt-submit` and enters the log, or is blocked.
import { messageOf } from '../../storage/log/errors.ts'
import type { Waiting } from '../../storage/log/waiting.ts'
import type { PromptDecision } from '../hooks/hooks.ts'
import { appendContext } from './contexts.ts'
import type { Driver, Turn } from './driver.ts'
import { readContent, readContext } from './read-input.ts'
import { GRACE_MS, settleWithin, TurnStopped, throwIfStopped } from './stop.ts'

export type Submitted = { readonly kind: 'admitted' } | { readonly kind: 'rejected'; readonly reason: string }

const ALLOW: PromptDecision = { kind: 'allow' }

/** Read to its end before anything is logged. What is neither allowed nor blocked is a failure: it must not pass for allowed. */
const readDecision = (decision: PromptDecision): PromptDecision => {
  if (decision?.kind === 'block') return { kind: 'block', reason: messageOf(decision.reason ?? 'Blocked without a reason') }
  if (decision?.kind !== 'allow') throw new TypeError('A listener of agent/prompt-submit neither allowed nor blocked the message')
  const { content, additionalContexts } = decision
  return {
    kind: 'allow',
    ...(content === undefined ? {} : { content: readContent(content) }),
    additionalContexts: (additionalContexts ?? []).map(readContext),
  }
}

const decide = async ({ agent, bus }: Driver, turn: Turn, { content, source }: Waiting): Promise<PromptDecision> => {
  if (!bus.has('agent/prompt-submit')) return ALLOW
  throwIfStopped(turn.signal) // once the turn is stopped nobody is asked any more: every question could take its own 200 ms
  const asked = bus.waterfall('agent/prompt-submit', agent, content, source, async () => ALLOW)
  return readDecision(await settleWithin(asked, turn.signal, GRACE_MS))
}

const log = (driver: Driver, { id, content, source }: Waiting, decision: PromptDecision): void => {
  if (decision.kind === 'block') {
    driver.log.append('prompt/blocked', { id, content, source, reason: decision.reason })
    driver.inbox.logged(id)
    return
  }
  driver.log.append('user/message', { id, content: decision.content ?? content, source }, { surfaceOp: 'append' })
  driver.inbox.logged(id)
  for (const context of decision.additionalContexts ?? []) appendContext(driver, context)
}

const blockedBy = (error: unknown): PromptDecision => ({
  kind: 'block',
  reason: error instanceof TurnStopped ? 'The turn was stopped before this message was checked' : messageOf(error),
})

/**
 * Every message ends up in the log: a listener that throws, or that is still thinking when the turn is stopped, leaves its message as
 * blocked, and those behind it, so that nothing unchecked reaches the model and nothing is lost. A disposal leaves what is not logged
 * in the durable inbox.
 */
export const submitPrompts = async (
  driver: Driver,
  turn: Turn,
  messages: readonly Waiting[],
  isDisposed: () => boolean,
): Promise<Submitted> => {
  let admitted = messages.length === 0
  let failure: { readonly error: unknown } | undefined
  let reason = ''
  for (const message of messages) {
    let decision: PromptDecision
    try {
      if (failure !== undefined) throw failure.error
      decision = await decide(driver, turn, message)
    } catch (error) {
      if (isDisposed()) throw error
      failure ??= { error }
      decision = blockedBy(error)
    }
    log(driver, message, decision)
    if (decision.kind === 'block') reason = decision.reason
    else admitted = true
  }
  if (failure !== undefined) throw failure.error
  return admitted ? { kind: 'admitted' } : { kind: 'rejected', reason }
}
