// A setting is plain JSON, going in and coming out.
import type { Json } from './log/content.ts'
import { messageOf, SideloopError } from './log/errors.ts'
import { freezeJson } from './log/lossless-json.ts'

/** A deep-frozen copy. Errors: `command/invalid`. */
export const readSetting = (name: string, value: unknown): Json => {
  try {
    return freezeJson(value as Json, 'value')
  } catch (error) {
    throw new SideloopError('command/invalid', `The setting "${name}" must be plain JSON: ${messageOf(error)}`, { cause: error })
  }
}
