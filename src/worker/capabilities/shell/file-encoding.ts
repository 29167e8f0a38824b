// Bytes as the interpreter's strings and back: it keeps text as text, and bytes as strings of one character each.
import type { BufferEncoding } from 'just-bash/browser'

export type Encoding = BufferEncoding

const ONE_BYTE: readonly Encoding[] = ['binary', 'latin1', 'ascii']
const AT_ONCE = 32_768

/** Text that is no UTF-8 gets marks where it is not; hexadecimal and Base64 as usual. */
export const textOf = (bytes: Uint8Array, encoding: Encoding): string => {
  if (encoding === 'hex') return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (encoding === 'base64') return btoa(textOf(bytes, 'latin1'))
  if (!ONE_BYTE.includes(encoding)) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  let text = ''
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE))
  return text
}

/** A string that is said to be bytes and has a larger character is text after all. */
export const bytesOf = (content: string | Uint8Array, encoding: Encoding): Uint8Array => {
  if (typeof content !== 'string') return content
  if (encoding === 'hex') return Uint8Array.from(content.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  if (encoding === 'base64') return bytesOf(atob(content), 'latin1')
  if (!ONE_BYTE.includes(encoding) || /[^\0-\xff]/.test(content)) return new TextEncoder().encode(content)
  return Uint8Array.from(content, (character) => character.charCodeAt(0))
}
