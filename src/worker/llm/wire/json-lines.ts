// Bytes of a body with a JSON object on each line → its lines, however the bytes were cut. For vendors that stream no events.
import { SideloopError } from '../../../storage/log/errors.ts'
import type { BodySink } from './body-form.ts'

const LF = 10
const LINE_LIMIT = 64 * 1024 * 1024

/**
 * Lines end in LF or CRLF; blank ones are skipped, a byte-order mark is, and the last line needs no end. `last`: nothing comes
 * after it, so it may be cut. Throws `model/failed` beyond 64 MB without an end of line.
 */
export const lineParser = (onLine: (line: string, last: boolean) => void): BodySink => {
  // Only whole lines are decoded: LF is never part of a longer UTF-8 sequence.
  const decoder = new TextDecoder()
  let pending: Uint8Array[] = []
  let held = 0

  const decode = (last: Uint8Array): string => {
    if (held === 0) return decoder.decode(last)
    const all = new Uint8Array(held + last.length)
    let at = 0
    for (const piece of [...pending, last]) {
      all.set(piece, at)
      at += piece.length
    }
    pending = []
    held = 0
    return decoder.decode(all)
  }

  return {
    push(bytes) {
      const cut = bytes.lastIndexOf(LF) + 1
      if (cut > 0) {
        for (const line of decode(bytes.subarray(0, cut)).split('\n')) if (line.trim() !== '') onLine(line.trim(), false)
      }
      if (cut === bytes.length) return
      pending.push(bytes.subarray(cut))
      held += bytes.length - cut
      if (held > LINE_LIMIT) {
        throw new SideloopError('model/failed', 'The server sent more than 64 MB without ending a line; it is not a stream of JSON lines.')
      }
    },
    end() {
      const rest = decode(new Uint8Array(0)).trim()
      if (rest !== '') onLine(rest, true)
    },
  }
}
