// The session file, `sideloop-session/1`: JSON Lines, the header first, then one event a line. Documented in docs/session-file.md.
import { SideloopError } from './errors.ts'
import type { SessionEvent, SessionHeader } from './events.ts'
import { isSurfaceEvent } from './events.ts'
import { importRefused } from './import-refused.ts'
import { withoutGrant } from './session-file-idle.ts'
import { misfitInside } from './session-file-shapes.ts'
import { readSessionHeader } from './session-header.ts'
import { readStoredEvents } from './stored-events.ts'
import { createSurface } from './surface.ts'
import { checkReplacedResult, checkSources } from './surface-place.ts'

export const SESSION_FILE_FORMAT = 'sideloop-session/1'

/** `length`: how many events follow. */
export const headerLine = (header: SessionHeader, length: number): string =>
  JSON.stringify({ format: SESSION_FILE_FORMAT, length, ...header })

export const eventLine = (event: SessionEvent): string => JSON.stringify(event)

export type FiledSession = { readonly header: SessionHeader; readonly events: readonly SessionEvent[] }

export type SessionFileReader = {
  /** The next line, without its end. Empty lines are passed over. Errors: `import/refused`, with the number of the line. */
  take(line: string): void
  /** The whole log, deep-frozen. Errors: `import/refused` if it is not all there. */
  end(): FiledSession
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const refused = (message: string, line?: number): SideloopError => importRefused(message, line === undefined ? undefined : { line })

/** Milliseconds from 1970 on, as far as dates go. */
const isDate = (time: number): boolean => time >= 0 && time <= 8.64e15

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // told as a line that is no JSON object
  }
}

const readFirst = (text: string): { readonly header: SessionHeader; readonly length: number } => {
  const first = parse(text)
  if (!isObject(first) || typeof first.format !== 'string') {
    throw refused('This is no session file: its first line does not name a format. Choose a file that was exported here.')
  }
  const { format, length, ...header } = first
  if (format !== SESSION_FILE_FORMAT) {
    throw refused(
      `This session file is of the format ${JSON.stringify(format)}, which this version does not know. A newer one may read it.`,
    )
  }
  if (!Number.isSafeInteger(length) || (length as number) < 0)
    throw refused('The first line does not say how many events follow ("length")')
  const read = readSessionHeader(header)
  if (!isDate(read.createdAt)) throw refused('The first line has a time of creation that no calendar has')
  return { header: read, length: length as number }
}

/**
 * Reads a session file line by line. Everything is checked that a stored log and its shape, inside and out, must fulfil; what is not
 * understood is refused. Permissions that reached further than one call are cut to that call (see `session-file-idle.ts`).
 */
export const createSessionFileReader = (): SessionFileReader => {
  const events: SessionEvent[] = []
  const surface = createSurface()
  let first: ReturnType<typeof readFirst> | undefined
  let lines = 0

  const readEvent = (text: string): SessionEvent => {
    const item = parse(text)
    if (!isObject(item) || typeof item.type !== 'string') throw refused('it is not an event')
    const [event] = readStoredEvents([item], events.length)
    if (event === undefined) throw refused('it is not an event')
    if (!isDate(event.time)) throw refused(`event ${event.seq} has a time that no calendar has`)
    const field = misfitInside(event)
    if (field !== undefined) throw refused(`event ${event.seq} (${event.type}) has no valid "${field}"`)
    if (isSurfaceEvent(event)) {
      checkSources(event)
      checkReplacedResult(event, events)
      surface.place(surface.plan(event))
    }
    return withoutGrant(event)
  }

  const read = (text: string): void => {
    if (first === undefined) {
      first = readFirst(text)
      return
    }
    if (events.length === first.length) throw refused(`more follows than the ${first.length} events that the first line promises`)
    events.push(readEvent(text))
  }

  return {
    take(line) {
      lines += 1
      if (line.trim() === '') return
      try {
        read(line)
      } catch (error) {
        if (!(error instanceof SideloopError)) throw error
        throw refused(`Line ${lines} cannot be imported: ${error.message}`, lines)
      }
    },
    end() {
      if (first === undefined) throw refused('This is no session file: it is empty.')
      if (events.length !== first.length) {
        throw refused(`The file was cut short: it holds ${events.length} of ${first.length} events. Export the session again.`)
      }
      return { header: first.header, events }
    },
  }
}
