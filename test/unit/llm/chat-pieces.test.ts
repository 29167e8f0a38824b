// The same calls cut, numbered and named in the ways of many OpenAI-chat servers (W3): they are read as the same calls.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/storage/log/content.ts'
import { calls, done, read, toolCalls } from './chat-events.ts'

type Call = { readonly name: string; readonly pieces: readonly string[] }
type Piece = { readonly [key: string]: Json }

const whole = fc.constantFrom('{}', '{"a":1}', '{"a":"}{"}', '{"path":"ä 👋","b":[{"c":"{\\"d\\":1}"}]}')
/** Arguments in up to three pieces, some of them empty. */
const cutArguments = fc.tuple(whole, fc.nat(12), fc.nat(12)).map(([text, one, two]) => {
  const [first, second] = [one, two].sort((a, b) => a - b) as [number, number]
  return [text.slice(0, first), text.slice(first, second), text.slice(second)]
})
const aCall: fc.Arbitrary<Call> = fc.record({ name: fc.constantFrom('read', 'read_file', 'write_file'), pieces: cutArguments })

const NUMBERS: Readonly<Record<string, (call: number) => Piece>> = {
  'an index': (call) => ({ index: call }),
  'an index as text': (call) => ({ index: `${call}` }),
  'an index that counts the text before, too': (call) => ({ index: call + 1 }),
  'the index 0 for all': () => ({ index: 0 }),
  'no index': () => ({}),
  'null as index': () => ({ index: null }),
}
const IDS: Readonly<Record<string, (call: number, piece: number) => Piece>> = {
  'an id at the start': (call, piece) => (piece === 0 ? { id: `id${call}` } : {}),
  'an id at the start, then null': (call, piece) => ({ id: piece === 0 ? `id${call}` : null, type: piece === 0 ? 'function' : null }),
  'an id at the start, then blank': (call, piece) => ({ id: piece === 0 ? `id${call}` : '' }),
  'an id on each piece': (call) => ({ id: `id${call}` }),
}
const NAMES: Readonly<Record<string, (name: string, piece: number) => Piece>> = {
  'a name at the start': (name, piece) => (piece === 0 ? { name } : {}),
  'a name at the start, then null': (name, piece) => ({ name: piece === 0 ? name : null }),
  'a name at the start, then blank': (name, piece) => ({ name: piece === 0 ? name : '' }),
  'a name on each piece': (name) => ({ name }),
  'a name in two pieces': (name, piece) => (piece > 1 ? {} : { name: piece === 0 ? name.slice(0, 3) : name.slice(3) }),
  'a name that grows': (name, piece) => ({ name: piece === 0 ? name.slice(0, 3) : name }),
}
const oneOf = <Value>(table: Readonly<Record<string, Value>>) => fc.constantFrom(...Object.keys(table)).map((key) => table[key]!)

describe('calls in pieces', () => {
  test('W3 whatever numbers, ids and names the pieces carry, the calls are the same', () => {
    fc.assert(
      fc.property(
        fc.array(aCall, { minLength: 1, maxLength: 3 }),
        oneOf(NUMBERS),
        oneOf(IDS),
        oneOf(NAMES),
        fc.boolean(),
        (told, number, id, name, together) => {
          const pieces = told.flatMap((one, at) =>
            one.pieces.map(
              (text, piece): Json => ({ ...number(at), ...id(at, piece), function: { ...name(one.name, piece), arguments: text } }),
            ),
          )
          // In one list, entries that only have names are calls of their own.
          const events =
            together && number(0).index !== undefined && number(0).index !== null ? [calls(...pieces)] : pieces.map((piece) => calls(piece))
          const wanted = told.map((one, at) => [`id${at}`, one.name, one.pieces.join('')])
          expect(toolCalls(read([...events, done('tool_calls')]))).toEqual(wanted)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('W3 pieces of calls that alternate are told apart by their index or by their id', () => {
    const told = fc.array(aCall, { minLength: 2, maxLength: 3 })
    const tells = fc.constantFrom<readonly [string, string]>(
      ['an index', 'an id at the start'],
      ['an index', 'an id on each piece'],
      ['no index', 'an id on each piece'],
    )
    fc.assert(
      fc.property(told, tells, oneOf(NAMES), fc.infiniteStream(fc.nat(2)), (many, [number, id], name, order) => {
        const queues = many.map((one, at) =>
          one.pieces.map((text, piece): Json => {
            return { ...NUMBERS[number]!(at), ...IDS[id]!(at, piece), function: { ...name(one.name, piece), arguments: text } }
          }),
        )
        const events: Json[] = []
        for (const pick of order) {
          const left = queues.filter((queue) => queue.length > 0)
          if (left.length === 0) break
          events.push(calls(left[pick % left.length]!.shift()!))
        }
        const wanted = many.map((one, at) => [`id${at}`, one.name, one.pieces.join('')])
        expect(toolCalls(read([...events, done()])).sort()).toEqual(wanted)
      }),
      { numRuns: 500 },
    )
  })
})
