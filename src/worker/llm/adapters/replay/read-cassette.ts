// A cassette from the text of an exported session: JSON Lines, the header first.
import { SideloopError } from '../../../../storage/log/errors.ts'
import type { SessionEvent, SessionHeader } from '../../../../storage/log/events.ts'
import { createSessionFileReader } from '../../../../storage/log/session-file.ts'
import { readSessionHeader } from '../../../../storage/log/session-header.ts'
import { readStoredEvents } from '../../../../storage/log/stored-events.ts'

export type Cassette = { readonly header: Pick<SessionHeader, 'id'>; readonly events: readonly SessionEvent[] }

/** Also a bare log without the format in its first line. Errors: `import/refused`, `session/invalid`, with what is wrong. */
export const readCassette = (text: string): Cassette => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const first = parsed(lines[0] ?? '')
  if (typeof first === 'object' && first !== null && !('format' in first)) {
    return { header: readSessionHeader(first), events: readStoredEvents(lines.slice(1).map(parsed), 0) }
  }
  const reader = createSessionFileReader()
  for (const line of lines) reader.take(line)
  return reader.end()
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    throw new SideloopError('import/refused', `This is no recorded session: a line of it is no JSON. It begins: ${line.slice(0, 80)}`)
  }
}
