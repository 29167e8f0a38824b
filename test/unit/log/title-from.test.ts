// Titles from first words: never half a character.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { titleFrom } from '../../../src/storage/log/title-from.ts'

test('A4 a short first line is the title as it is, and what follows it is not', () => {
  expect(titleFrom('  Plan a day\nin Lisbon', 60)).toBe('Plan a day')
})

test('A4 a long one ends between two words, and one without words anywhere', () => {
  expect(titleFrom('one two three four', 12)).toBe('one two…')
  expect(titleFrom('x'.repeat(20), 12)).toBe(`${'x'.repeat(11)}…`)
})

test('A4 an emoji of many parts, a flag and a letter with its accent are cut off whole or not at all', () => {
  for (const one of ['👨‍👩‍👧', '🇵🇹', 'e\u0301', '👍🏽', '😀']) {
    expect(titleFrom(one.repeat(20), 12)).toBe(`${one.repeat(11)}…`)
  }
})

test('A4 also where characters are so long that a title of them is short', () => {
  const family = '👨‍👩‍👧‍👦'
  expect(titleFrom(`x${family.repeat(20)}`, 12)).toBe(`x${family.repeat(8)}…`)
})

test('A4 whatever the text is, a title is well formed, one line, and no longer than it may be', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 2, max: 40 }), (text, most) => {
      const title = titleFrom(text, most)
      expect(title).not.toContain('\n')
      expect(title).not.toMatch(/\p{Surrogate}/u)
      expect([...new Intl.Segmenter().segment(title)].length).toBeLessThanOrEqual(most)
    }),
  )
})
