// The one error class of the runtime: a closed code to route on, a message that says what to do next.
import type { Json } from './content.ts'

export type ErrorCode =
  | 'session/unknown'
  | 'session/busy'
  | 'session/invalid'
  | 'storage/quota'
  | 'storage/blocked'
  | 'storage/lost'
  | 'storage/conflict'
  | 'storage/unavailable'
  | 'command/invalid'
  | 'worker/start'
  | 'worker/dead'
  | 'model/failed'
  | 'import/refused'
  | 'agent/disposed'
  | 'internal'

export class SideloopError extends Error {
  override readonly name = 'SideloopError'
  readonly code: ErrorCode
  readonly details: Json | undefined

  constructor(code: ErrorCode, message: string, options: { readonly details?: Json; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details
  }
}

/** The words of anything that was thrown. Never throws: not everything can be made a string. */
export const messageOf = (thrown: unknown): string => {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'Something was thrown that has no words'
  }
}

/** Anything that was thrown as an `Error`; one that is an `Error` already is given back as it is. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(messageOf(thrown)))

/** For the end of a switch over a closed union: reaching it at run time means that outside data was trusted unchecked. */
export const assertNever = (value: never): never => {
  throw new SideloopError('internal', `Unexpected value: ${JSON.stringify(value)}`)
}
