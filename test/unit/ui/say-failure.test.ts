// What a person reads when a command failed: nothing twice, and what to do next.
import { describe, expect, test } from 'vitest'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import { hashAddress } from '../../../src/ui/hash-address.ts'
import { sayFailure } from '../../../src/ui/state/say-failure.ts'

describe('the words of a failure', () => {
  test('that say what to do are left as they are', () => {
    const words = 'This session is open in another tab. Close it there, then open it here again.'
    expect(sayFailure(new SideloopError('session/busy', words))).toBe(words)
  })

  test('that only say what happened are followed by what to do', () => {
    expect(sayFailure(new SideloopError('session/busy', 'Another tab has it'))).toBe('Another tab has it. Close it there, or go on there.')
    expect(sayFailure(new SideloopError('session/unknown', 'This session was deleted.'))).toBe(
      'This session was deleted. Open another one, or start a new one.',
    )
  })

  test('name no id and no command', () => {
    const id = crypto.randomUUID()
    const unknown = `There is no session "${id}" here. It was deleted; open another one.`
    expect(sayFailure(new SideloopError('session/unknown', unknown))).toBe('There is no session here. It was deleted; open another one.')
    const lost = `The content sha256-${'0'.repeat(64)} is missing from the browser’s database, so it cannot be exported whole. Reload.`
    expect(sayFailure(new SideloopError('storage/lost', lost))).toMatch(/^Some content is missing/)
    const invalid = 'sessions.create was given something it cannot take: "title" is longer than 500.\nAsk again.'
    expect(sayFailure(new SideloopError('command/invalid', invalid))).toBe(
      'The page asked for something that the agent does not take. Reload the page, then try again.',
    )
  })

  test('of an error without advice are its own', () => {
    expect(sayFailure(new Error('no'))).toBe('no')
  })
})

test('A4 an address that names no session is the start page', () => {
  const at = (hash: string) => hashAddress({ location: { hash } } as Window).address.read()
  expect(at('#session=')).toBeUndefined()
  expect(at('')).toBeUndefined()
  expect(at('#session=a%20b')).toBe('a b')
})
