// Finds markers in text that comes in pieces, and holds back no more than what may be the beginning of one.
import { codeSpans } from './code-spans.ts'

export type ScanStep = {
  /** Text that is certainly not part of a marker. */
  readonly text: string
  readonly found?: string
  /** What follows the marker, not looked at yet. */
  readonly rest: string
}
export interface MarkerScanner {
  push(piece: string): ScanStep
  /** What was held back, when nothing more comes. */
  flush(): string
}

/** `outside-code`: a marker in code, in a block quote or right after a quotation mark is text. */
export const markerScanner = (markers: readonly string[], where: 'anywhere' | 'outside-code'): MarkerScanner => {
  const heads = new Set(markers.map((marker) => marker[0]))
  const code = codeSpans()
  let held = ''
  let before = ''

  return {
    push(piece) {
      const buffer = held + piece
      held = ''
      for (let at = 0; at < buffer.length; at += 1) {
        const character = buffer[at]!
        code.push(character)
        if (heads.has(character) && !(where === 'outside-code' && (code.inside || code.quoted || /["'\p{Pi}„「]/u.test(before)))) {
          const marker = markers.find((candidate) => buffer.startsWith(candidate, at))
          if (marker !== undefined) {
            before = ''
            return { text: buffer.slice(0, at), found: marker, rest: buffer.slice(at + marker.length) }
          }
          const rest = buffer.slice(at)
          if (markers.some((candidate) => candidate.startsWith(rest))) {
            held = rest
            return { text: buffer.slice(0, at), rest: '' }
          }
        }
        before = character
      }
      return { text: buffer, rest: '' }
    },
    flush() {
      const rest = held
      held = ''
      return rest
    },
  }
}
