// The event-stream rules (W2): line ends, fields, characters, and that no cut changes anything.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventParser } from '../../../src/worker/llm/wire/framing.ts'

type Seen = { readonly data: string; readonly event: string }
const parse = (pieces: readonly Uint8Array[]): Seen[] => {
  const seen: Seen[] = []
  const parser = eventParser((data, event) => seen.push({ data, event }))
  for (const piece of pieces) parser.push(piece)
  parser.end()
  return seen
}
const bytesOf = (text: string) => new TextEncoder().encode(text)
const dataOf = (text: string) => parse([bytesOf(text)]).map(({ data }) => data)
const cutAt = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const edges = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b)
  return edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge))
}

describe('W2 framing', () => {
  test.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['mixed line ends', 'data: a\r\n\rdata: b\n\r\n'],
  ])('W2 events end with %s', (_, text) => {
    expect(dataOf(text)).toEqual(['a', 'b'])
  })

  test('W2 a CRLF that is cut in the middle ends one line, not two', () => {
    expect(parse([bytesOf('data: a\r'), bytesOf('\ndata: b\r'), bytesOf('\n'), bytesOf('\r'), bytesOf('\n')])).toEqual([
      { data: 'a\nb', event: '' },
    ])
  })

  test('W2 a leading byte-order mark is skipped, a later one is text', () => {
    expect(dataOf('\uFEFFdata: a\uFEFF\n\n\uFEFFdata: b\n\n')).toEqual(['a\uFEFF'])
    expect(parse([bytesOf('data: a\n\n'), bytesOf('\uFEFFdata: b\n\n')])).toEqual([{ data: 'a', event: '' }])
    expect(parse([bytesOf('\uFEFFdata: a\n\n').slice(0, 2), bytesOf('\uFEFFdata: a\n\n').slice(2)])).toEqual([{ data: 'a', event: '' }])
  })

  test('W2 comments, ids, retries and unknown fields dispatch nothing', () => {
    expect(dataOf(': PROCESSING\n\n:\n\nretry: 3000\n\nid: 7\nfoo: bar\n\n')).toEqual([])
  })

  test('W2 a field `error`, which llama.cpp made up, is the data of an event of that name', () => {
    expect(parse([bytesOf('data: a\n\nerror: {"code":500}\n\ndata: b\n\n')])).toEqual([
      { data: 'a', event: '' },
      { data: '{"code":500}', event: 'error' },
      { data: 'b', event: '' },
    ])
  })

  test('W2 several data lines are one event with line breaks', () => {
    expect(dataOf('data: a\ndata:b\ndata\ndata:  c\n\n')).toEqual(['a\nb\n\n c'])
  })

  test('W2 only one blank after the colon is dropped, and none need be there', () => {
    expect(dataOf('data:a\n\ndata:  a\n\ndata: \n\n')).toEqual(['a', ' a', ''])
  })

  test('W2 the event name goes with its own event only', () => {
    expect(parse([bytesOf('event: error\ndata: x\n\ndata: y\n\nevent: lost\n\ndata: z\n\n')])).toEqual([
      { data: 'x', event: 'error' },
      { data: 'y', event: '' },
      { data: 'z', event: '' },
    ])
  })

  test('W2 a last event without its blank line, and without its line end, counts', () => {
    expect(dataOf('data: a\n\ndata: b\n')).toEqual(['a', 'b'])
    expect(dataOf('data: a\n\ndata: b')).toEqual(['a', 'b'])
  })

  test('W4 an error that a server writes into the stream as it is, over one line or many, is an event', () => {
    const bare = JSON.stringify({ error: { code: 503, message: 'busy: later' } }, null, 2)
    expect(dataOf(`data: a\n\n${bare}\n`)).toEqual(['a', bare])
    expect(dataOf(`data: a\n\n[${bare}]\r\n\r\ndata: b\n\n`)).toEqual(['a', `[${bare}]`, 'b'])
    expect(dataOf('data: a\n\n{"error":"x"}\n\nid: 1\n\n')).toEqual(['a', '{"error":"x"}'])
  })

  test('W2 characters cut by the network are whole, broken bytes become U+FFFD', () => {
    const bytes = bytesOf('data: Grüße 👋 – 你好\n\n')
    expect(parse(cutAt(bytes, [...bytes.keys()]))).toEqual([{ data: 'Grüße 👋 – 你好', event: '' }])
    expect(parse([Uint8Array.of(...bytesOf('data: '), 0xf0, 0x9f), Uint8Array.of(10, 10)])).toEqual([{ data: '\uFFFD', event: '' }])
    expect(parse([Uint8Array.of(...bytesOf('data: '), 0xe4)])).toEqual([{ data: '\uFFFD', event: '' }])
  })

  test('W2 no cut of any bytes changes what is read', () => {
    const token = fc.oneof(
      fc.constantFrom('data: ', 'data:', 'event: e', ': c', '\n', '\r', '\r\n', '\n\n', '\r\n\r\n', 'id: 1', 'data', '\uFEFF', '{"a":1}'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    )
    const anyBytes = fc.oneof(
      fc.array(token, { maxLength: 30 }).map((tokens) => bytesOf(tokens.join(''))),
      fc.uint8Array({ maxLength: 60 }),
    )
    fc.assert(
      fc.property(anyBytes, fc.array(fc.nat(200), { maxLength: 12 }), (bytes, cuts) => {
        const whole = parse([bytes])
        expect(
          parse(
            cutAt(
              bytes,
              cuts.map((cut) => Math.min(cut, bytes.length)),
            ),
          ),
        ).toEqual(whole)
        expect(parse(cutAt(bytes, [...bytes.keys()]))).toEqual(whole)
      }),
    )
  })

  test('W2 lines are decoded as one streaming decoder would decode them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
        const clean = noise.filter((byte) => byte !== 10 && byte !== 13)
        const expected = new TextDecoder('utf-8', { ignoreBOM: true }).decode(clean)
        expect(parse([bytesOf('data:x'), clean, bytesOf('\n\n')])).toEqual([{ data: `x${expected}`, event: '' }])
      }),
    )
  })

  test('B11 the time grows with the length, not with its square', () => {
    const line = bytesOf(`data: ${'x'.repeat(100)}`)
    const parser = eventParser(() => {})
    for (let piece = 0; piece < 20_000; piece += 1) parser.push(line)
    parser.end()
    expect(dataOf('data: a\n\n'.repeat(50_000))).toHaveLength(50_000)
  })

  test('W2 an event that never ends is refused instead of filling the memory', () => {
    const parser = eventParser(() => {})
    const block = new Uint8Array(16 * 1024 * 1024).fill(120)
    for (let count = 0; count < 4; count += 1) parser.push(block)
    expect(() => parser.push(block)).toThrow('more than 64 MB')
  })
})
