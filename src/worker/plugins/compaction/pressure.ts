// How full the model's window is: by what the last call reported, or by an estimate.
import type { Session } from '../../hooks/agent.ts'
import { headerTokens, messagesTokens } from './estimate-tokens.ts'
import type { SessionFacts } from './session-facts.ts'

/** `tokens`: of the last request, or of the next one by estimate. `next`: what the next request is likely to have. */
export type Pressure = { readonly tokens: number; readonly next: number }

export const estimateRequest = (session: Session, picture: number): number =>
  headerTokens(session.requestHeader(), picture) + messagesTokens(session.deriveMessages(), picture)

export const pressureOf = (session: Session, { reported }: SessionFacts, picture: number): Pressure => {
  if (reported === undefined) {
    const tokens = estimateRequest(session, picture)
    return { tokens, next: tokens }
  }
  const messages = session.deriveMessages()
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
  return { tokens: reported.context, next: reported.context + reported.output + messagesTokens(since, picture) }
}
