// Lines and bytes out of streams of unknown length, never more than was agreed.
import type { SideloopError } from '../../../storage/log/errors.ts'
import { importRefused } from '../../../storage/log/import-refused.ts'

export type Pieces = AsyncIterable<Uint8Array<ArrayBuffer>>

const refused = (name: string, why: string): SideloopError => importRefused(`The file cannot be imported: ${name} ${why}.`, { entry: name })

/** In characters: far above any real event, far below what a string may hold. */
const LONGEST_LINE = 64 * 1024 * 1024

/** Without their ends (LF or CRLF), and without a byte-order mark. Errors: `import/refused`. */
export async function* linesOf(name: string, pieces: Pieces): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Uint8Array<ArrayBuffer>): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw refused(name, 'is not UTF-8 text')
    }
  }
  const clean = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)
  let begun: string[] = []
  let length = 0
  for await (const piece of pieces) {
    const [rest = '', ...lines] = decode(piece).split('\n')
    begun.push(rest)
    length += rest.length
    if (length > LONGEST_LINE) throw refused(name, 'has a line that is too long')
    for (const line of lines) {
      yield clean(begun.join(''))
      begun = [line]
      length = line.length
    }
  }
  const last = clean(begun.join('') + decode())
  if (last !== '') yield last
}

/** Errors: `import/refused` beyond so many bytes. */
export const bytesOf = async (name: string, pieces: Pieces, most: number): Promise<Uint8Array<ArrayBuffer>> => {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > most) throw refused(name, `is larger than ${most} bytes`)
    parts.push(piece)
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}
