// The events of a session one by one, as a program reads them: only those that are on disk, so that none is ever taken back.
import type { SessionId } from '../../storage/log/content.ts'
import type { SessionEvent } from '../../storage/log/events.ts'
import type { WatchFrame } from '../protocol/frames.ts'
import { watchSession } from './watch-session.ts'
import type { WorkerLink } from './worker-link.ts'

/** In order and without gaps, also across the death of a worker. The worker sends its next frame when the reader asks for more. */
export async function* storedEvents(link: WorkerLink, id: SessionId, from: number): AsyncGenerator<SessionEvent> {
  let after = from
  let waiting: SessionEvent[] = []
  let stored = 0
  let closed: WatchFrame['closed']
  let wake = (): void => {}
  let asked = (): void => {}
  const watch = watchSession(link, id, {
    after() {
      waiting = []
      return after
    },
    onFrame(frame) {
      waiting.push(...frame.events)
      stored = frame.stored
      closed = frame.closed
      wake()
      return new Promise<void>((resolve) => {
        asked = resolve
      })
    },
  })
  const failed = new Promise<never>((_, reject) => watch.started.catch(reject))
  failed.catch(() => {}) // told by the race below
  try {
    for (;;) {
      for (let next = waiting[0]; next !== undefined && next.seq < stored; next = waiting[0]) {
        waiting.shift()
        after = next.seq
        yield next
      }
      if (closed !== undefined) return
      const arrived = new Promise<void>((resolve) => {
        wake = resolve
      })
      asked()
      await Promise.race([arrived, failed])
    }
  } finally {
    watch.stop()
  }
}
