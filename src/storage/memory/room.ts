// How much a memory store may hold: so that a full store can be had where none is really full.
import { SideloopError } from '../log/errors.ts'

/** Is there room for so many bytes more? Asked before anything is stored. */
export type HasRoom = (bytes: number) => boolean

export type Room = {
  /** Errors: `storage/quota`. */
  take(value: unknown): void
}

const sizeOf = (value: unknown): number => (value instanceof Uint8Array ? value.byteLength : (JSON.stringify(value)?.length ?? 0))

export const createRoom = (hasRoom: HasRoom | undefined): Room => ({
  take(value) {
    if (hasRoom === undefined || hasRoom(sizeOf(value))) return
    throw new SideloopError(
      'storage/quota',
      'There is no room left, so this could not be saved. What was saved before is safe. Delete sessions or files, then go on.',
    )
  },
})
