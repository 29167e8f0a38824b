// Tool calls in OpenAI-chat streams (W3): which piece belongs to which call, under every way in which servers number and name them.
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/storage/log/content.ts'
import { blocks, call, calls, delta, done, read, readText, toolCalls } from './chat-events.ts'

describe('W3 calls', () => {
  test('W3 pieces of parallel calls may be interleaved by their index', () => {
    const chunks = read([
      calls(call({ index: 0, id: 'a', name: 'read', arguments: '{"x"' }), call({ index: 1, id: 'b', name: 'read', arguments: '{"y"' })),
      calls(call({ index: 0, arguments: ':1}' }), call({ index: 1, arguments: ':2}' })),
      done(),
    ])
    expect(toolCalls(chunks)).toEqual([
      ['a', 'read', '{"x":1}'],
      ['b', 'read', '{"y":2}'],
    ])
  })

  test('W3 whole calls without id and index are told apart by their names', () => {
    const one = call({ name: 'read', arguments: '{"a":1}' })
    const two = call({ name: 'read', arguments: '{"a":2}' })
    for (const events of [[calls(one), calls(two)], [calls(one, two)]]) {
      expect(toolCalls(read([...events, done()])).map(([, , text]) => text)).toEqual(['{"a":1}', '{"a":2}'])
    }
    const empty = call({ name: 'read', arguments: '' })
    expect(toolCalls(read([calls(empty, empty), done()]))).toHaveLength(2)
    const numbered = [call({ index: 0, name: 'read', arguments: '{"a":1}' }), call({ index: 0, name: 'read', arguments: '{"a":2}' })]
    expect(toolCalls(read([...numbered.map((piece) => calls(piece)), done()]))).toHaveLength(2)
  })

  test('W3 the same id with another index is another call, with an id of our own and the vendor’s kept', () => {
    const chunks = read([
      calls(call({ index: 0, id: 'same', name: 'read', arguments: '{}' })),
      calls(call({ index: 1, id: 'same', name: 'read', arguments: '{}' })),
      done(),
    ])
    expect(blocks(chunks)).toEqual([
      { type: 'tool-call', id: 'same', name: 'read', arguments: '{}' },
      { type: 'tool-call', id: 'made-1', vendorId: 'same', name: 'read', arguments: '{}' },
    ])
  })

  test('W3 an id that the session has already is not used again', () => {
    const chunks = read([calls(call({ index: 0, id: 'call_0', name: 'read', arguments: '{}' })), done()], { takenIds: new Set(['call_0']) })
    expect(blocks(chunks)).toEqual([{ type: 'tool-call', id: 'made-1', vendorId: 'call_0', name: 'read', arguments: '{}' }])
  })

  test('P-a13 a signature of Vertex is kept with its place', () => {
    const signed = { ...Object(call({ id: 'a', name: 'read', arguments: '{}' })), extra_content: { vertex: { thought_signature: 'V' } } }
    const [reasoning] = blocks(read([calls(signed), done()]))
    expect(reasoning).toEqual({ type: 'reasoning', text: '', replay: { thought_signature: 'V', place: 'vertex' } })
  })

  test('P-a13 a signature on a call is kept right before it; a piece without a name has none', () => {
    const signed = (fields: Parameters<typeof call>[0], signature: string | number): Json => ({
      ...Object(call(fields)),
      extra_content: { google: { thought_signature: signature } },
    })
    const chunks = read([
      delta({ content: 'Look.' }),
      calls(signed({ index: 0, id: 'a', name: 'read', arguments: '{' }, 'S'), call({ index: 1, id: 'b', name: 'read', arguments: '{}' })),
      calls(signed({ index: 0, arguments: '}' }, 'S')),
      calls(signed({ index: 2, id: 'c', name: 'read', arguments: '{}' }, 7)),
      done(),
    ])
    expect(blocks(chunks)).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'reasoning', text: '', replay: { thought_signature: 'S' } },
      { type: 'tool-call', id: 'a', name: 'read', arguments: '{}' },
      { type: 'tool-call', id: 'b', name: 'read', arguments: '{}' },
      { type: 'tool-call', id: 'c', name: 'read', arguments: '{}' },
    ])
  })

  test('W3 an id that comes late is kept beside the one that was made up', () => {
    const chunks = read([
      calls(call({ index: 0, name: 'read', arguments: '' })),
      calls(call({ index: 0, id: 'late', arguments: '{}' })),
      done(),
    ])
    expect(blocks(chunks)).toEqual([{ type: 'tool-call', id: 'made-1', vendorId: 'late', name: 'read', arguments: '{}' }])
  })

  test('W3 a name is put together by the declared tools: repeated, split or growing', () => {
    const named = (...names: readonly string[]) =>
      toolCalls(read([...names.map((name) => calls(call({ index: 0, id: 'c', name, arguments: '' }))), done()])).map(([, name]) => name)
    expect(named('read_file', 'read_file')).toEqual(['read_file'])
    expect(named('read_', 'file')).toEqual(['read_file'])
    expect(named('read', '_file')).toEqual(['read_file'])
    expect(named('read', 'read_file')).toEqual(['read_file'])
    expect(named('read_', 'file', 'read_file')).toEqual(['read_file'])
    expect(named('no_such', 'no_such')).toEqual(['no_such'])
    expect(named('no_', 'such')).toEqual(['no_such'])
  })

  test('W3 arguments as an object are JSON text again, with every digit of a long number', () => {
    const text = (raw: string) =>
      `data: {"choices":[{"delta":{"content":"\\"arguments\\":{","tool_calls":[{"id":"c","function":{"name":"read","arguments":${raw}}}]}}]}\n\ndata: [DONE]\n\n`
    expect(toolCalls(readText(text('{"a": 1, "b": [true]}')))[0]?.[2]).toBe('{"a":1,"b":[true]}')
    expect(toolCalls(readText(text('{"id": 12345678901234567890}')))[0]?.[2]).toBe('{"id": 12345678901234567890}')
  })

  test('W3 glued objects in one call are left as they came, to be refused', () => {
    const chunks = read([
      calls(call({ index: 0, id: 'c', name: 'read', arguments: '{"a":1}' })),
      calls(call({ index: 0, arguments: '{"a":2}' })),
      done(),
    ])
    expect(toolCalls(chunks)).toEqual([['c', 'read', '{"a":1}{"a":2}']])
  })

  test('W3 numbers as text, and one call that is no list, are read', () => {
    const pieces = [
      delta({ tool_calls: { index: '0', function: { name: 'read', arguments: '{"a"' } } }),
      delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
    ]
    expect(toolCalls(read([...pieces, done()]))).toEqual([['made-1', 'read', '{"a":1}']])
  })

  test('W3 empty pieces are no calls, a legacy function_call is one', () => {
    expect(toolCalls(read([calls({}, { index: 0 }, { function: { name: '', arguments: '' } }), done()]))).toEqual([])
    const legacy = [delta({ function_call: { name: 'read', arguments: '{"a"' } }), delta({ function_call: { arguments: ':1}' } })]
    expect(toolCalls(read([...legacy, done('function_call')]))).toEqual([['made-1', 'read', '{"a":1}']])
  })
})
