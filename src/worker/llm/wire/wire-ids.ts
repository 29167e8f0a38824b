// Call ids as a vendor wants them: in its alphabet, unique in the request, and the same each time they are written.

export type IdAlphabet = {
  /** What the vendor accepts, whole. */
  readonly pattern: RegExp
  /** Length of an id that is made here; of letters and digits only, which every vendor takes. */
  readonly length: number
}

/** Gives the wire id of each call in turn; a second call with the same id gets another one. */
export const wireIds = ({ pattern, length }: IdAlphabet): ((id: string) => string) => {
  const taken = new Set<string>()
  return (id) => {
    let wire = id
    for (let attempt = 0; !pattern.test(wire) || taken.has(wire); attempt += 1) wire = hashed(`${attempt} ${id}`, length)
    taken.add(wire)
    return wire
  }
}

const DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** FNV-1a, run on for as many digits as are wanted. No secret hangs on it: a clash is only tried again. */
const hashed = (text: string, length: number): string => {
  let hash = 0x811c9dc5
  let made = ''
  while (made.length < length) {
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
    made += DIGITS[hash % DIGITS.length]
  }
  return made
}
