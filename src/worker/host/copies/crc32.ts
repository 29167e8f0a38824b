// The checksum of zip entries.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** `before`: the checksum of what came before these bytes. */
export const crc32 = (bytes: Uint8Array, before = 0): number => {
  let value = ~before
  for (const byte of bytes) value = (value >>> 8) ^ TABLE[(value ^ byte) & 0xff]!
  return ~value >>> 0
}
