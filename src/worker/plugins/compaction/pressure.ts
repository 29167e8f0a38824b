// How full the model's window is: by what the last call reported, or by an estimate.
import type { Message } from '../../../storage/log/content.ts'
import { estimateTokens } from '../../../storage/log/estimate-tokens.ts'
import type { Session } from '../../hooks/agent.ts'
import type { SessionFacts } from './session-facts.ts'

/** `tokens`: of the last request, or of the next one by estimate. `next`: what the next request is likely to have. */
export type Pressure = { readonly tokens: number; readonly next: number }

/** Each message is counted once: it is frozen, and the same object in every request that holds it. */
const counted = new WeakMap<Message, number>()

const tokensOf = (message: Message): number => {
  const tokens = counted.get(message) ?? estimateTokens([message])
  counted.set(message, tokens)
  return tokens
}
const sum = (messages: readonly Message[]): number => messages.reduce((tokens, message) => tokens + tokensOf(message), 0)

export const estimateRequest = (session: Session): number => estimateTokens([], session.requestHeader()) + sum(session.deriveMessages())

export const pressureOf = (session: Session, { reported }: SessionFacts): Pressure => {
  if (reported === undefined) {
    const tokens = estimateRequest(session)
    return { tokens, next: tokens }
  }
  const messages = session.deriveMessages()
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
  return { tokens: reported.context, next: reported.context + reported.output + sum(since) }
}
