// Notes in the transcript that change after they appeared: a retry until it is made, a compaction until it is over.
import type { Json } from '../content.ts'
import type { EventOf } from '../events.ts'
import { isHandedOver } from '../handed-over.ts'
import type { CompactionEnd, ContextItem, TranscriptItem } from './transcript-items.ts'
import { replaceAt } from './transcript-reply.ts'

type Items = readonly TranscriptItem[]

const REMINDER = '<automated_reminder>'

/** A task run's own words to the model; told by their tag, so that a page can show or hide them. */
export const isReminder = ({ content, source }: EventOf<'context/message'>['data']): boolean =>
  source.kind === 'plugin' && content[0]?.type === 'text' && content[0].text.startsWith(REMINDER)

/** The retry that still waits is over: the model was asked again, or the turn ended before its time came. */
export const endRetry = (items: Items, time: number): Items => {
  const last = items.at(-1)
  if (last?.kind !== 'retry' || last.state !== 'waiting') return items
  return replaceAt(items, items.length - 1, { ...last, state: time < last.time + last.delayMs ? 'stopped' : 'tried' })
}

/** A chunk or a further failure: it was made, whatever the clock says. */
export const retryMade = (items: Items): Items => {
  const last = items.at(-1)
  return last?.kind === 'retry' && last.state === 'waiting' ? replaceAt(items, items.length - 1, { ...last, state: 'tried' }) : items
}

/** Where the compaction that goes on stands; −1 when there is none. */
export const compactingAt = (items: Items): number => items.findLastIndex((item) => item.kind === 'compaction' && item.end === undefined)

/** A summary belongs to the compaction that made it, and is no item of its own. Undefined when none goes on. */
export const takeSummary = (items: Items, { content, summary }: ContextItem, meta: Json | undefined): Items | undefined => {
  const position = compactingAt(items)
  const item = items[position]
  if (!summary || item?.kind !== 'compaction') return undefined
  const shorter = sizesIn(meta)
  return replaceAt<TranscriptItem>(items, position, { ...item, summary: content, ...(shorter === undefined ? {} : { shorter }) })
}

/** One that goes on in another turn is shown where it goes on, and nowhere else. */
export const endCompaction = (items: Items, end: CompactionEnd): Items => {
  const position = compactingAt(items)
  const item = items[position]
  if (item !== undefined && isHandedOver(end)) return items.toSpliced(position, 1)
  return item?.kind === 'compaction' ? replaceAt<TranscriptItem>(items, position, { ...item, end }) : items
}

const sizesIn = (meta: Json | undefined): { readonly before: number; readonly after: number } | undefined => {
  if (typeof meta !== 'object' || meta === null || !('before' in meta && 'after' in meta)) return undefined
  const { before, after } = meta
  return typeof before === 'number' && typeof after === 'number' ? { before, after } : undefined
}
