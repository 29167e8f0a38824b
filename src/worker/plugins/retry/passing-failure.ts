// Which failures of a model call may be gone in a moment. What an adapter says is read as data: a wrong mark must not cost money.
import type { ModelFailure, ModelFailureClass } from '../../../storage/log/model-call.ts'

/** Would fail in the same way again, whatever an adapter says about it. */
const LASTING: readonly ModelFailureClass[] = ['auth', 'quota', 'context_overflow', 'request_too_large', 'invalid_history']
const BAD_REQUEST: readonly number[] = [400, 401, 402, 403, 404, 405, 413, 422]

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/** The facts of a transient failure, fit for the log. Undefined for a lasting one, and for a throw without facts. */
export const passingFailure = (error: { readonly message: string; readonly failure?: unknown }): ModelFailure | undefined => {
  const { failure } = error
  if (!isFields(failure) || failure.transient !== true) return undefined
  const kind = text(failure.class) as ModelFailureClass | undefined
  const status = number(failure.status)
  if (kind === undefined || LASTING.includes(kind) || (status !== undefined && BAD_REQUEST.includes(status))) return undefined
  const code = text(failure.code)
  const retryAfterMs = number(failure.retryAfterMs)
  const requestId = text(failure.requestId)
  return {
    class: kind,
    message: text(failure.message) ?? error.message,
    transient: true,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}
