// T2: the own estimate of a request, for when neither the model nor a port says.
import { describe, expect, test } from 'vitest'
import type { ContentBlock, Message } from '../../../src/storage/log/content.ts'
import { estimateTokens } from '../../../src/storage/log/estimate-tokens.ts'

const said = (...content: readonly ContentBlock[]): readonly Message[] => [{ role: 'user', content }]
const text = (words: string): ContentBlock => ({ type: 'text', text: words })

describe('T2 an estimate', () => {
  test('T2 takes four characters of prose for a token, and a wide character for one', () => {
    expect(estimateTokens(said(text('a'.repeat(4_000))))).toBe(1_004)
    expect(estimateTokens(said(text('字'.repeat(1_000))))).toBe(1_004)
  })

  test('T2 counts a picture as a picture, whatever its bytes', () => {
    const picture: ContentBlock = { type: 'image', blob: `sha256-${'0'.repeat(64)}`, mediaType: 'image/png' }
    expect(estimateTokens(said(picture))).toBeLessThan(2_000)
    expect(estimateTokens(said({ type: 'tool-result', toolCallId: 'c', content: [picture, picture], isError: false }))).toBeGreaterThan(
      2_500,
    )
  })

  test('T2 counts calls, results, the system text, the tools and the prefix', () => {
    const long = 'x'.repeat(400)
    const none = estimateTokens([])
    const config = { provider: 'p', model: 'm' }
    expect(estimateTokens(said({ type: 'tool-call', id: 'c', name: 'n', arguments: long }))).toBeGreaterThan(100)
    expect(estimateTokens(said({ type: 'reasoning', text: long }))).toBeGreaterThan(100)
    expect(estimateTokens([], { config, system: long })).toBe(none + 100)
    expect(estimateTokens([], { config, tools: [{ name: 'n', description: long, parameters: {} }] })).toBeGreaterThan(100)
    expect(estimateTokens([], { config, messagePrefix: said(text(long)) })).toBe(104)
  })
})
