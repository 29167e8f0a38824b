// The word by which a log says that a compaction goes on in the turn that a message has begun: it ends there, under another start.
import type { SessionEventData } from './events.ts'

export const HANDED_OVER = 'A turn began; the compaction goes on in it.'

export const isHandedOver = ({ outcome, detail }: SessionEventData['compaction/end']): boolean =>
  outcome === 'aborted' && detail === HANDED_OVER
