// Bytes of an event stream → its events, by the full line rules of the HTML standard, however the bytes were cut.
import { SideloopError } from '../../../storage/log/errors.ts'

export interface EventParser {
  /** The bytes must not change afterwards: pieces of an unfinished line are kept, not copied. */
  push(bytes: Uint8Array): void
  /** The connection is closed: a last event without its blank line counts too. */
  end(): void
}

const LF = 10
const CR = 13
/** Bytes of one event. A server that never ends a line must not fill the memory. */
const EVENT_LIMIT = 64 * 1024 * 1024

/**
 * Lines end in LF, CRLF or CR, also cut between reads; a leading byte-order mark, comments, `id`, `retry` and unknown fields are
 * skipped; several `data` lines are one event with line breaks. llama.cpp, until 2025, told an error in a field of that name: it is
 * the data of an event `error`. Google writes one into the stream as bare JSON: it is data up to the blank line. Throws
 * `model/failed` beyond 64 MB without an end of event.
 */
export const eventParser = (onEvent: (data: string, event: string) => void): EventParser => {
  // Only whole lines are decoded. LF and CR are never part of a longer UTF-8 sequence, so a character that the network cut is
  // whole again by then, and broken bytes become U+FFFD exactly as one streaming decoder would have it.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let pending: Uint8Array[] = []
  let held = 0
  let atStart = true
  let afterCr = false
  let event = ''
  let bare = false
  let data: string | undefined

  const dispatch = () => {
    if (data !== undefined) onEvent(data, event)
    data = undefined
    event = ''
    bare = false
  }

  /** By hand: one expression for the line takes a quarter of a whole reader's time (B11). */
  const field = (line: string) => {
    bare ||= line[0] === '{' || line[0] === '['
    const colon = bare ? -1 : line.indexOf(':')
    const name = bare ? 'data' : colon < 0 ? line : line.slice(0, colon)
    const value = bare ? line : colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (name === 'event' || name === 'error') event = name === 'event' ? value : name
    if (name === 'data' || name === 'error') data = data === undefined ? value : `${data}\n${value}`
  }

  const lines = (text: string) => {
    let from = 0
    for (;;) {
      const to = text.indexOf('\n', from)
      if (to < 0) break
      if (to === from) dispatch()
      else field(text.slice(from, to))
      from = to + 1
    }
    if (data !== undefined) tooLongIf(data.length)
  }

  const decode = (bytes: Uint8Array): string => {
    let text = decoder.decode(bytes)
    if (atStart && text !== '') {
      atStart = false
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1)
    }
    if (afterCr && text.charCodeAt(0) === LF) text = text.slice(1)
    afterCr = bytes[bytes.length - 1] === CR
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  }

  const joined = (last: Uint8Array): Uint8Array => {
    if (held === 0) return last
    const all = new Uint8Array(held + last.length)
    let at = 0
    for (const piece of pending) {
      all.set(piece, at)
      at += piece.length
    }
    all.set(last, at)
    pending = []
    held = 0
    return all
  }

  return {
    push(bytes) {
      const cut = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1
      if (cut > 0) lines(decode(joined(bytes.subarray(0, cut))))
      if (cut === bytes.length) return
      pending.push(cut === 0 ? bytes : bytes.subarray(cut))
      held += bytes.length - cut
      tooLongIf(held)
    },
    end() {
      const rest = decode(joined(new Uint8Array(0)))
      if (rest !== '') field(rest)
      dispatch()
    },
  }
}

const tooLongIf = (length: number) => {
  if (length > EVENT_LIMIT) {
    throw new SideloopError('model/failed', 'The server sent more than 64 MB without ending an event; it is not an event stream.')
  }
}
