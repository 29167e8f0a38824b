// What a person reads when a command failed: the error's own words, and what to do where they do not say it.
import type { ErrorCode } from '../../storage/log/errors.ts'
import { messageOf, SideloopError } from '../../storage/log/errors.ts'

const ADVICE: Partial<Record<ErrorCode, string>> = {
  'session/unknown': 'This session is not here any more. It may have been deleted in another tab.',
  'session/busy': 'This session is open in another tab. Close it there, or go on there.',
  'worker/dead': 'The agent stopped and is being started again. Try once more in a moment.',
  'storage/quota': 'The browser has no room left. Delete some sessions, then try again.',
  'storage/unavailable': 'This browser does not let the page store anything. Leave private browsing, or allow site data.',
}

export const codeOf = (thrown: unknown): ErrorCode | undefined => (thrown instanceof SideloopError ? thrown.code : undefined)

export const sayFailure = (thrown: unknown): string => {
  const code = codeOf(thrown)
  const words = messageOf(thrown)
  const advice = code === undefined ? undefined : ADVICE[code]
  return advice === undefined || words.includes(advice) ? words : `${words} ${advice}`.trim()
}
