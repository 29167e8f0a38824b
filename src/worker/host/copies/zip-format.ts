// The zip format as far as a session file needs it: stored and deflated entries, no encryption, nothing beyond 4 GB.

export const LOCAL_HEADER = { signature: 0x04034b50, length: 30 }
export const CENTRAL_HEADER = { signature: 0x02014b50, length: 46 }
export const END_RECORD = { signature: 0x06054b50, length: 22, longestComment: 0xffff }

export const STORED = 0
export const DEFLATED = 8
export const ENCRYPTED_FLAG = 1
/** Names are UTF-8. */
export const UTF8_FLAG = 0x800
/** From these on a number stands elsewhere (zip64). */
export const MOST_ENTRIES = 0xffff
export const MOST_BYTES = 0xffffffff
/** 1 January 1980, in the words of the format: the first day that it knows. Times are in the log. */
export const NO_DATE = 0x21
/** 2.0: the first version with deflate. */
export const VERSION = 20
