// What a model wrote as arguments (W8): repaired where there is one reading, refused where there are none or two.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../../src/storage/log/content.ts'
import { readArguments } from '../../../src/worker/llm/tool-arguments.ts'

const FILE: JsonSchema = {
  type: 'object',
  properties: { path: { type: 'string' }, text: { type: 'string' }, limit: { type: 'integer' } },
  required: ['path'],
}
const read = (raw: string, schema?: JsonSchema) => readArguments(raw, schema)
const outcome = (raw: string, schema?: JsonSchema) => {
  const reading = readArguments(raw, schema)
  return reading.ok ? reading.value : reading.reason
}

describe('W8 arguments in', () => {
  test('W8 blank text is an empty object and needs no repair', () => {
    expect(read('')).toEqual({ ok: true, value: {}, repaired: false })
    expect(read(' \n\t')).toEqual({ ok: true, value: {}, repaired: false })
  })

  test('W8 valid JSON that fits passes as it is', () => {
    expect(read('{"path":"caf\\u00e9 \\ud83d\\ude00","limit":3}', FILE)).toEqual({
      ok: true,
      value: { path: 'café 😀', limit: 3 },
      repaired: false,
    })
  })

  test.each([
    ['a code fence', '```json\n{"path":"a"}\n```'],
    ['a fence of tildes', '~~~\n{"path":"a"}\n~~~'],
    ['a fence amid prose', 'Here you are:\n```\n{"path":"a"}\n```\nDone.'],
    ['a fence that was never closed', '```json\n{"path":"a"}'],
    ['trailing prose', '{"path":"a"} I will read it "now".'],
    ['leading prose', 'Arguments: {"path":"a"}'],
    ['a trailing comma', '{"path":"a",}'],
    ['one layer of string', '"{\\"path\\":\\"a\\"}"'],
  ])('W8 %s has one reading and is repaired', (_, raw) => {
    expect(read(raw, FILE)).toEqual({ ok: true, value: { path: 'a' }, repaired: true })
  })

  test('W8 raw line breaks and tabs in a string are kept as they are', () => {
    expect(outcome('{"path":"a","text":"one\r\n\ttwo \\n three\u0001"}', FILE)).toEqual({ path: 'a', text: 'one\r\n\ttwo \n three\u0001' })
  })

  test('W8 a trailing comma in a list is forgiven, an empty place is not', () => {
    expect(outcome('{"a":[1,2,],}')).toEqual({ a: [1, 2] })
    expect(outcome('{"a":[1,,2]}')).toBe('not-json')
    expect(outcome('{,}')).toBe('not-json')
  })

  test.each([
    '{"path":"a.txt","text":"cut he',
    '{"path":"a.txt"',
    '{"path":"a.txt",',
    '{"path":',
    '{"path',
    '{',
    '{"a":tru',
    '{"a":-',
    '{"a":-1.',
    '{"a":[0.5e',
    '{"a":1E+',
    '{"a":[1,2',
    '```json\n{"path":"a',
    '"{\\"path\\":',
  ])('W8 what was cut is truncated and never closed: %s', (raw) => {
    expect(outcome(raw)).toBe('truncated')
  })

  test.each([
    'please read a.txt',
    "{'path':'a'}",
    '{path:"a"}',
    '{"a":NaN}',
    '{"a":"C:\\dir"}',
    '{"a":01}',
    '{"a":"x\\\ny"}',
    '{"a":"x\ty\\\nz"}',
    'nullx',
  ])('W8 what is not JSON is refused: %s', (raw) => {
    expect(outcome(raw)).toBe('not-json')
  })

  test('W8 a list around the object, a scalar and a doubled string layer are refused', () => {
    expect(outcome('[{"path":"a.txt"}]', FILE)).toBe('not-an-object')
    expect(outcome('null')).toBe('not-an-object')
    expect(outcome('5')).toBe('not-an-object')
    expect(outcome('"text"')).toBe('not-an-object')
    expect(outcome(JSON.stringify(JSON.stringify('{"a":1}')))).toBe('not-an-object')
  })

  test('W3 two glued objects are refused, never merged', () => {
    expect(outcome('{"a":1}{"a":2}')).toBe('concatenated')
    expect(outcome('{"a":1}\n{"a":2}')).toBe('concatenated')
    expect(outcome('{"a":1} and then {"a":2}')).toBe('not-json')
    expect(outcome('{"path":"a.txt"},"text":"x"}')).toBe('not-json')
  })

  test('W8 JSON inside a string is parsed once where the schema wants an object or list, never where it wants text', () => {
    const schema = (type: string): JsonSchema => ({ type: 'object', properties: { at: { type } }, required: ['at'] })
    expect(outcome('{"at":"[\\"a\\"]"}', schema('array'))).toEqual({ at: ['a'] })
    expect(outcome('{"at":"{\\"a\\":1}"}', schema('object'))).toEqual({ at: { a: 1 } })
    expect(outcome('{"at":"{\\"a\\":1}"}', schema('string'))).toEqual({ at: '{"a":1}' })
    expect(read('{"at":"rent"}', schema('array'))).toMatchObject({ ok: false, reason: 'schema', path: 'at' })
    expect(read('{"at":"{\\"a\\":1}"}', schema('array'))).toMatchObject({ ok: false, reason: 'schema', path: 'at' })
    expect(outcome('{"at":"[1]"}', { type: 'object', properties: { at: { anyOf: [{ type: 'string' }, { type: 'array' }] } } })).toEqual({
      at: '[1]',
    })
  })

  test('W8 a type is converted only on one exact reading', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        count: { type: 'integer' },
        ratio: { type: 'number' },
        flag: { type: 'boolean' },
        name: { type: 'string' },
        note: { type: ['string', 'null'] },
      },
    }
    expect(read('{"count":"40","ratio":"1.5","flag":"true","name":7}', schema)).toEqual({
      ok: true,
      value: { count: 40, ratio: 1.5, flag: true, name: '7' },
      repaired: true,
    })
    for (const bad of [
      '{"count":"forty"}',
      '{"count":"4.5"}',
      '{"count":4.5}',
      '{"flag":"yes"}',
      '{"flag":1}',
      '{"name":1.5}',
      '{"name":{}}',
    ]) {
      expect(read(bad, schema)).toMatchObject({ ok: false, reason: 'schema' })
    }
    expect(read('{"count":null,"note":null}', schema)).toEqual({ ok: true, value: { note: null }, repaired: true })
  })

  test('W8 the place that does not fit is named', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { target: { $ref: '#/$defs/target' }, list: { type: 'array', items: { type: 'integer' } }, mode: { enum: ['a', 'b'] } },
      $defs: { target: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false } },
      required: ['target'],
    }
    expect(read('{}', schema)).toMatchObject({ path: 'target' })
    expect(read('{"target":{}}', schema)).toMatchObject({ path: 'target.id' })
    expect(read('{"target":{"id":1,"x":2}}', schema)).toMatchObject({ path: 'target.x' })
    expect(read('{"target":{"id":1},"list":[1,"x"]}', schema)).toMatchObject({ path: 'list[1]' })
    expect(read('{"target":{"id":1},"mode":"c"}', schema)).toMatchObject({ path: 'mode', message: expect.stringContaining('["a","b"]') })
  })

  test('W8 a big integer is kept exactly or refused', () => {
    const schema = (type: string): JsonSchema => ({ type: 'object', properties: { id: { type } } })
    expect(outcome('{"id":9007199254740993}', schema('string'))).toEqual({ id: '9007199254740993' })
    expect(outcome('{"id":"9007199254740993"}', schema('string'))).toEqual({ id: '9007199254740993' })
    expect(outcome('{"id":9007199254740992}', schema('integer'))).toEqual({ id: 9007199254740992 })
    expect(outcome('{"id":1234567890123456}', schema('integer'))).toEqual({ id: 1234567890123456 })
    expect(read('{"id":9007199254740993}', schema('integer'))).toMatchObject({ reason: 'schema', path: 'id' })
    expect(read('{"id":9007199254740993}')).toMatchObject({ reason: 'schema', path: 'id' })
    expect(read('{"id":"9007199254740993"}', schema('integer'))).toMatchObject({ reason: 'schema', path: 'id' })
  })

  test('W8 a big integer with a fraction or an exponent is refused where a digit would change', () => {
    const schema = (type: string): JsonSchema => ({ type: 'object', properties: { id: { type } } })
    for (const lost of [
      '9007199254740993.0',
      '9007199254740993e0',
      '9.007199254740993e15',
      '9007199254740993.5',
      '0.99999999999999999999',
    ]) {
      for (const type of ['integer', 'number', 'string']) {
        expect(read(`{"id":${lost}}`, schema(type))).toMatchObject({ reason: 'schema', path: 'id' })
      }
      expect(read(`{"id":"${lost}"}`, schema('integer'))).toMatchObject({ reason: 'schema', path: 'id' })
    }
    for (const kept of [
      '9007199254740992.0',
      '1e23',
      '1.0E+21',
      '100000000000000000000',
      '-0',
      '-0.0e5',
      '3.141592653589793238',
      '1.50',
      '1e100',
    ]) {
      expect(read(`{"id":${kept}}`, schema('number'))).toEqual({ ok: true, value: { id: Number(kept) }, repaired: false })
    }
    expect(outcome(`{"id":1${'0'.repeat(200_000)}1}`)).toBe('out-of-range')
    expect(outcome(`{"id":1.${'0'.repeat(200_000)}1}`)).toBe('schema')
  })

  test('W8 a number beyond the range of numbers never becomes infinity or zero', () => {
    for (const beyond of ['1e400', '-1e999', '1E+0400', '1e-400', `${'9'.repeat(320)}`]) {
      expect(outcome(`{"x":[${beyond}]}`)).toBe('out-of-range')
      expect(outcome(`{"x":${beyond}}`, { type: 'object', properties: { x: { type: 'number' } } })).toBe('out-of-range')
      expect(outcome(`{"x":"${beyond}"}`, { type: 'object', properties: { x: { type: 'number' } } })).toBe('schema')
    }
    expect(outcome('{"x":0e999}')).toEqual({ x: 0 })
  })

  test('W8 __proto__ is a plain key', () => {
    for (const raw of ['{"__proto__":{"polluted":1},"constructor":2}', '{"__proto__":{"polluted":1},"constructor":2,}']) {
      const reading = read(raw, { type: 'object' })
      expect(reading.ok && Object.keys(reading.value)).toEqual(['__proto__', 'constructor'])
      expect(reading.ok && Object.getPrototypeOf(reading.value)).toBe(Object.prototype)
    }
    expect(({} as { polluted?: number }).polluted).toBe(undefined)
    expect(read('{"a":1}', { type: 'object', properties: {}, required: ['__proto__'] })).toMatchObject({ path: '__proto__' })
  })

  test('W8 the refusal quotes what was sent and says what to do', () => {
    const reading = read('please read a.txt', FILE)
    expect(reading.ok ? '' : reading.message).toBe(
      'The arguments are not valid JSON. You sent: please read a.txt\nCall the tool again with one JSON object that fits its parameters.',
    )
    expect(read(`{"a":"${'x'.repeat(5000)}`)).toMatchObject({ message: expect.stringMatching(/^.{200,400}$/s) })
  })

  test('W8 what JSON holds is read back exactly, and every cut of it is known as one', () => {
    const anyObject = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    fc.assert(
      fc.property(anyObject, fc.nat(), (object, seed) => {
        const text = JSON.stringify(object)
        const plain = JSON.parse(text)
        expect(outcome(text)).toEqual(plain)
        expect(outcome(`${text.slice(0, -1)}${text === '{}' ? '' : ','}}`)).toEqual(plain)
        expect(outcome(text.slice(0, 1 + (seed % (text.length - 1))))).toBe('truncated')
      }),
      { numRuns: 300 },
    )
  })

  test('W8 no text whatever makes the reader throw', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ',',
      ':',
      '\\',
      '\n',
      'a',
      '1',
      '-',
      'true',
      'null',
      ' ',
      '```',
      '9'.repeat(20),
      '\u0000',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (raw) => {
          const reading = readArguments(raw, FILE)
          if (reading.ok) expect(typeof reading.value).toBe('object')
          else expect(reading.message).not.toBe('')
        },
      ),
    )
    expect(outcome('{"a":'.repeat(100_000))).toBe('not-json')
  })
})
