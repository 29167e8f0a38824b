// A long result that the model can see already is shown to it once: the repeat is replaced by a marker, on the surface only (T23).
import type { ContentBlock } from '../../../storage/log/content.ts'
import type { EventOf } from '../../../storage/log/events.ts'
import { jsonEqual } from '../../../storage/log/lossless-json.ts'
import type { Session } from '../../hooks/agent.ts'
import { identical } from './texts.ts'

/** Characters; a shorter repeat costs less than the model's search for the first. */
const SHORTEST = 500

const lengthOf = (content: readonly ContentBlock[]): number =>
  content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0)

/** Is the same content in an earlier successful result that the model sees? Those behind it may be in the log already. */
const isVisible = (session: Session, { data: { callId, content } }: EventOf<'tool/result'>): boolean => {
  for (const message of session.deriveMessages()) {
    for (const block of message.content) {
      if (block.type !== 'tool-result') continue
      if (block.toolCallId === callId) return false
      if (!block.isError && jsonEqual(block.content, content)) return true
    }
  }
  return false
}

/** The result has just been logged and stands on the surface; its step is still open. */
export const markRepeatedResult = (session: Session, event: EventOf<'tool/result'>): void => {
  const { data, seq, sourceEventSeqs, surfaceOp } = event
  const call = session.events[sourceEventSeqs?.[0] ?? -1]
  if (surfaceOp !== 'append' || data.isError || lengthOf(data.content) < SHORTEST || call?.type !== 'tool/call') return
  if (!isVisible(session, event)) return
  session.append(
    'tool/result',
    { ...data, content: [{ type: 'text', text: identical(call.data.name) }] },
    { surfaceOp: { op: 'replace', start: seq, end: seq }, sourceEventSeqs: [call.seq, seq] },
  )
}
