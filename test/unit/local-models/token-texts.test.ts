// From tokens to the text that may be told: characters in pieces, blanks that decoders drop, words that an answer ends at.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stopTexts } from '../../../src/worker/capabilities/local-models/transformers/stop-texts.ts'
import { tokenText } from '../../../src/worker/capabilities/local-models/transformers/token-text.ts'

/** Each token is a byte. */
const bytesOf = (text: string): bigint[] => [...new TextEncoder().encode(text)].map(BigInt)
const decode = (tokens: bigint[]): string => new TextDecoder().decode(Uint8Array.from(tokens, Number))

describe('W15 the text of tokens', () => {
  test('is told whole, however its characters are cut into tokens, and never half of one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const out = tokenText(decode)
        const pieces = bytesOf(text).map((token) => out.push(token))
        expect([...pieces, out.end()].join('')).toBe(new TextDecoder().decode(new TextEncoder().encode(text)))
        if (!text.includes('\uFFFD')) expect(pieces.join('')).not.toContain('\uFFFD')
      }),
    )
  })

  test('keeps blanks between words where the decoder drops one at the beginning', () => {
    const words = ['', ' Hello', ' my', ' friend']
    const out = tokenText((tokens) =>
      tokens
        .map((token) => words[Number(token)])
        .join('')
        .trimStart(),
    )
    expect([1n, 2n, 3n].map((token) => out.push(token))).toEqual(['Hello', ' my', ' friend'])
  })

  test('tells at the end what never became a character', () => {
    const out = tokenText(decode)
    expect(out.push(0xe4n)).toBe('')
    expect(out.end()).toBe('\uFFFD')
  })
})

describe('W15 words that an answer ends at', () => {
  const tell = (pieces: readonly string[], stops: readonly string[]) => {
    const out = stopTexts(stops)
    const told = pieces.map((piece) => out.push(piece)).join('')
    return { text: told + out.end(), stopped: out.stopped }
  }

  test('end it there, for every cut, and are not told', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', 'c') })
    fc.assert(
      fc.property(
        fc.array(part),
        fc.array(
          part.filter((stop) => stop !== ''),
          { maxLength: 3 },
        ),
        (pieces, stops) => {
          const whole = pieces.join('')
          const places = stops.map((stop) => whole.indexOf(stop)).filter((place) => place >= 0)
          const { text, stopped } = tell(pieces, stops)
          expect(stopped).toBe(places.length > 0)
          if (!stopped) expect(text).toBe(whole)
          else expect(stops.some((stop) => whole.startsWith(text + stop))).toBe(true)
          for (const stop of stops) expect(text).not.toContain(stop)
        },
      ),
    )
  })

  test('hold back only what may be their beginning', () => {
    const out = stopTexts(['END'])
    expect([out.push('one E'), out.push('N'), out.push('ter'), out.push(' two END three')]).toEqual(['one ', '', 'ENter', ' two '])
  })
})
