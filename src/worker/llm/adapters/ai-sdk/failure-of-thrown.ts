// What a provider of the AI SDK threw, or put into its stream, as a failure: status, body and headers where it kept them.
import { messageOf } from '../../../../storage/log/errors.ts'
import type { ModelFailure } from '../../../../storage/log/model-call.ts'
import { classifyFailure } from '../../failures.ts'
import { fieldsOf, isFields, parsedJson, textOf } from '../../wire/fields.ts'

/** `APICallError` has `statusCode`, `responseBody`, `responseHeaders`; a `RetryError` has it as `lastError`. Without them the words decide. */
export const failureOfThrown = (thrown: unknown): ModelFailure => {
  const error = fieldsOf(thrown)
  if (isFields(error.lastError)) return failureOfThrown(error.lastError)
  const { statusCode, responseBody, responseHeaders, isRetryable, data } = error
  const headers = fieldsOf(responseHeaders)
  const body =
    typeof responseBody === 'string' && responseBody !== ''
      ? (parsedJson(responseBody) ?? responseBody)
      : isFields(data)
        ? data
        : bodyOf(thrown)
  const failure = classifyFailure({
    ...(typeof statusCode === 'number' ? { status: statusCode } : {}),
    headers: { get: (name) => textOf(headers[name]) || null },
    body,
  })
  // No answer at all: fetch failed inside the provider.
  if (statusCode === undefined && isRetryable === true) return { ...failure, class: 'transport', transient: true }
  return failure
}

const bodyOf = (thrown: unknown): unknown =>
  thrown instanceof Error ? { message: messageOf(thrown) } : isFields(thrown) ? thrown : { message: String(thrown) }
