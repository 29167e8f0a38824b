// Bytes as base64 text, without the platform: the core has no `btoa`.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

export const base64 = (bytes: Uint8Array): string => {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 3) {
    const [first, second, third] = [bytes[at]!, bytes[at + 1], bytes[at + 2]]
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0)
    pieces.push(
      DIGITS[bits >> 18]! +
        DIGITS[(bits >> 12) & 63]! +
        (second === undefined ? '=' : DIGITS[(bits >> 6) & 63]!) +
        (third === undefined ? '=' : DIGITS[bits & 63]!),
    )
  }
  return pieces.join('')
}
