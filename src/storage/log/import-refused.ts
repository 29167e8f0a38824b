// The refusal of a file that is brought in. It quotes what the file says, which may be of any length.
import type { Json } from './content.ts'
import { cutMiddle } from './cut-middle.ts'
import { SideloopError } from './errors.ts'

/** In characters: what a person reads in a notice. */
const LONGEST = 400

export const importRefused = (message: string, details?: Json): SideloopError =>
  new SideloopError('import/refused', cutMiddle(message, LONGEST), details === undefined ? {} : { details })
