// The row of a session that is made from a whole log: what its list entry shows is folded from it.
import type { SessionEvent, SessionHeader } from '../../../storage/log/events.ts'
import { fold } from '../../../storage/log/projection.ts'
import { accountOf, type PricesOf } from '../../../storage/log/projections/account.ts'
import { type LogSummary, summary } from '../../../storage/log/projections/summary.ts'
import type { SessionRow } from '../../../storage/session-store.ts'

export const summaryOf = (header: SessionHeader, events: Iterable<SessionEvent>): LogSummary =>
  fold(summary, events, { ...summary.initial, updatedAt: header.createdAt })

export const rowOf = (
  header: SessionHeader,
  events: readonly SessionEvent[],
  { options, pricesOf }: { readonly options: SessionRow['options']; readonly pricesOf: PricesOf },
): Omit<SessionRow, 'nextSeq' | 'epoch'> => {
  const { title, updatedAt, turns, status } = summaryOf(header, events)
  const { id, createdAt } = header
  const { cost } = accountOf(events, pricesOf)
  return { id, header, createdAt, title, updatedAt, turns, status, cost, ...(options !== undefined && { options }) }
}
