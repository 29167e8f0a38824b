// The line to the other tabs. What goes over it is loaded after the first session is open: a tab alone never waits for it.
import type { SessionId } from '../../storage/log/content.ts'
import type { WireError } from '../client/error-transfer.ts'

export interface Room {
  /** Who drives this session? The answer comes to `heard`. */
  ask(id: SessionId): void
  /** It is driven here now. */
  announce(id: SessionId, tenure: string): void
  /** Asks whoever drives it to store and stop, and resolves when that is done. Never when nobody answers. */
  askToStop(id: SessionId): Promise<void>
  /** It was deleted: nobody can have it any more. */
  gone(id: SessionId, error: WireError): void
}

/** A failure to load leaves the tab alone: it is held off by the lock as before, and its next word tries again. */
export const lazyRoom = (load: () => Promise<Room>): Room => {
  const tell = (say: (room: Room) => void): void => {
    load().then(say, () => {})
  }
  return {
    ask: (id) => tell((room) => room.ask(id)),
    announce: (id, tenure) => tell((room) => room.announce(id, tenure)),
    askToStop: async (id) => (await load()).askToStop(id),
    gone: (id, error) => tell((room) => room.gone(id, error)),
  }
}

/** For a tab that has no channel to others. */
export const emptyRoom: Room = { ask: () => {}, announce: () => {}, askToStop: () => new Promise(() => {}), gone: () => {} }
