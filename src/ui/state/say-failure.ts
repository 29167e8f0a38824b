// What a person reads when a command failed: the error's own words, and what to do where they do not say it.
import type { ErrorCode } from '../../storage/log/errors.ts'
import { messageOf, SideloopError } from '../../storage/log/errors.ts'

const ADVICE: Partial<Record<ErrorCode, string>> = {
  'session/unknown': 'Open another one, or start a new one.',
  'session/busy': 'Close it there, or go on there.',
  'worker/dead': 'Try once more in a moment.',
  'storage/quota': 'Delete some sessions, then try again.',
  'storage/unavailable': 'Leave private browsing, or allow site data.',
}

export const codeOf = (thrown: unknown): ErrorCode | undefined => (thrown instanceof SideloopError ? thrown.code : undefined)

export const sayFailure = (thrown: unknown): string => {
  const code = codeOf(thrown)
  const words = plain(messageOf(thrown))
  const advice = code === undefined ? undefined : ADVICE[code]
  if (advice === undefined || SAYS_MORE.test(words)) return words
  return `${words.replace(/[^.!?]$/, '$&.')} ${advice}`.trim()
}

/** What a person cannot use: ids, and the names of commands. */
const INTERNAL: readonly (readonly [RegExp, string])[] = [
  [
    /^\w+\.\w+ was given something it cannot take:.*/s,
    'The page asked for something that the agent does not take. Reload the page, then try again.',
  ],
  [/ "[\w-]{21,36}"/g, ''],
  [/\bThe content sha256-[0-9a-f]{64}/g, 'Some content'],
  [/\bthe content sha256-[0-9a-f]{64}/g, 'some content'],
]

const plain = (words: string): string => INTERNAL.reduce((said, [pattern, instead]) => said.replace(pattern, instead), words)

/** A message of more than one sentence says what to do by itself. */
const SAYS_MORE = /[.!?:]\s+\S/
