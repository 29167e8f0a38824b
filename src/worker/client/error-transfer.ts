// Errors cross the boundary with code, message and details; Comlink alone drops all but the message. Installed on both ends.
import { type TransferHandler, transferHandlers } from 'comlink'
import type { Json } from '../../storage/log/content.ts'
import { type ErrorCode, messageOf, SideloopError } from '../../storage/log/errors.ts'

export type WireError = { readonly code: ErrorCode; readonly message: string; readonly details?: Json }

export const toWireError = (thrown: unknown): WireError => {
  if (!(thrown instanceof SideloopError)) return { code: 'internal', message: messageOf(thrown) }
  const { code, message, details } = thrown
  return { code, message, ...(details === undefined ? {} : { details }) }
}

export const fromWireError = ({ code, message, details }: WireError): SideloopError =>
  new SideloopError(code, message, details === undefined ? {} : { details })

/** Idempotent. */
export const installErrorTransfer = (): void => {
  // Comlink keeps its mark for thrown values to itself: its own handler is asked what it can handle.
  const original = transferHandlers.get('throw')
  if (original === undefined) return
  const handler: TransferHandler<{ readonly value: unknown }, WireError> = {
    canHandle: (value): value is { readonly value: unknown } => original.canHandle(value),
    serialize: ({ value }) => [toWireError(value), []],
    deserialize: (wire) => {
      throw fromWireError(wire)
    },
  }
  transferHandlers.set('throw', handler)
}
