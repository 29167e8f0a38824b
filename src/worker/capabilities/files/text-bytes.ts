// Tells text from binary, and turns one into the other without losing a character.

/** Undefined for what is not UTF-8 text: pictures, archives, text in another encoding. */
export const textOfBytes = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined // invalid UTF-8: binary
  }
}

/** Undefined when half of a surrogate pair is in the text: no encoding keeps that. */
export const bytesOfText = (text: string): Uint8Array | undefined =>
  /\p{Surrogate}/u.test(text) ? undefined : new TextEncoder().encode(text)

/** As editors count: a newline at the end begins no further line. */
export const countLines = (text: string): number => {
  if (text === '') return 0
  let lines = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
