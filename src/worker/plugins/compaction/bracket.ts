// One compaction in the log: from `compaction/start` to exactly one `compaction/end`, whatever ends it.
import type { SessionEventData } from '../../../storage/log/events.ts'
import type { Session } from '../../hooks/agent.ts'

export type CompactionEnd = SessionEventData['compaction/end']

export type Bracket = {
  /** Once. In the log at once; only from inside an observer of the log a moment later. */
  close(end: CompactionEnd): void
  readonly ended: Promise<CompactionEnd>
}

/** `onClosed` runs right behind the end event, in the same tick. */
export const openBracket = (session: Session, start: SessionEventData['compaction/start'], onClosed = () => {}): Bracket => {
  let resolve: (end: CompactionEnd) => void
  const ended = new Promise<CompactionEnd>((settle) => {
    resolve = settle
  })
  const write = (end: CompactionEnd): void => {
    session.append('compaction/end', end)
    onClosed()
    resolve(end)
  }
  session.append('compaction/start', start)
  return {
    ended,
    close(end) {
      try {
        write(end)
      } catch {
        // Somebody stopped the turn from inside an observer, where nothing can be appended: right after it, and before the turn's own end.
        queueMicrotask(() => write(end))
      }
    },
  }
}
