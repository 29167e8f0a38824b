// The versions that page and worker tell each other.

/** Raised when page and worker could no longer understand each other. Also in every lock and channel name. */
export const PROTOCOL_VERSION = 1
/** The package's version. */
export const VERSION = '0.1.0'
