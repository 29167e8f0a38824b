// One compaction as a job: its work is done once, though it may begin in a turn of its own and be finished in a turn that came between.
import type { SessionEventData } from '../../../storage/log/events.ts'
import type { Session } from '../../hooks/agent.ts'
import { type Bracket, type CompactionEnd, openBracket } from './bracket.ts'
import type { Prepared } from './prepare.ts'
import { replaceRange } from './replace-range.ts'

export type Job = {
  /** Logs its beginning and does the work. `onClosed` runs right behind its end. Not while it is open already. */
  open(onClosed?: () => void): void
  /** Logs an end for now: the work goes on, for the next `open`. */
  leave(detail: string): void
  /** Stops the work for good, and logs that. */
  stop(): void
  readonly isOpen: boolean
  /** The last word about it. Never rejects. */
  readonly done: Promise<CompactionEnd>
}

export type JobOrder = {
  readonly session: Session
  readonly start: SessionEventData['compaction/start']
  readonly work: (signal: AbortSignal) => Promise<Prepared>
  /** Synchronously with its last word. */
  readonly onDone: (end: CompactionEnd) => void
}

export const createJob = ({ session, start, work, onDone }: JobOrder): Job => {
  const controller = new AbortController()
  let running: Promise<Prepared> | undefined
  let open: Bracket | undefined
  let finish: (end: CompactionEnd) => void = () => {}
  const done = new Promise<CompactionEnd>((resolve) => {
    finish = (end) => {
      onDone(end)
      resolve(end)
    }
  })

  /** From here on nobody else closes it. */
  const take = (): Bracket | undefined => {
    const bracket = open
    open = undefined
    return bracket
  }
  const complete = (prepared: Prepared): void => {
    const bracket = take()
    const end = replaceRange(session, prepared)
    bracket?.close(end)
    finish(end)
  }

  return {
    done,
    get isOpen() {
      return open !== undefined
    },
    open(onClosed) {
      const bracket = openBracket(session, start, onClosed)
      if (controller.signal.aborted) {
        bracket.close({ outcome: 'aborted' }) // an observer of the start stopped it
        return
      }
      open = bracket
      running ??= work(controller.signal).catch((error: unknown): Prepared => ({ kind: 'failed', detail: String(error) }))
      void running.then((prepared) => {
        if (open === bracket) complete(prepared)
      })
    },
    leave(detail) {
      take()?.close({ outcome: 'aborted', detail })
    },
    stop() {
      if (controller.signal.aborted) return
      controller.abort()
      const end: CompactionEnd = { outcome: 'aborted' }
      take()?.close(end)
      finish(end)
    },
  }
}
