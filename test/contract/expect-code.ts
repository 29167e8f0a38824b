// Expects a rejection with one of the runtime's codes and a message that a person can use.
import { expect } from 'vitest'
import type { ErrorCode } from '../../src/storage/log/errors.ts'
import { SideloopError } from '../../src/storage/log/errors.ts'

export const expectCode = async (promise: Promise<unknown>, code: ErrorCode): Promise<SideloopError> => {
  const error: unknown = await promise.then(
    () => expect.fail(`It resolved; expected ${code}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SideloopError)) throw error
  expect(error.code, error.message).toBe(code)
  expect(error.message.length).toBeGreaterThan(20)
  return error
}
