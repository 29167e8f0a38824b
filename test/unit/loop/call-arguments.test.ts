// The arguments of a call as the loop takes them (W8): no digit is lost on the short way either, and no key can give a tool another prototype.
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../../src/storage/log/content.ts'
import { readCallArguments } from '../../../src/worker/loop/call-arguments.ts'

const ANY: JsonSchema = { type: 'object' }
const refused = (said: string) => ({ ok: false, message: expect.stringContaining(said) })

describe('W8 arguments as the loop takes them', () => {
  test.each([
    ['as the model wrote it', '{"path":"a","__proto__":{"admin":true}}'],
    ['deep inside', '{"list":[{"o":{"__proto__":null}}]}'],
    ['written with escapes', '{"\\u005f_proto_\\u005F":1}'],
    ['in what needs repair', '{"path":"a","__proto__":{},}'],
    ['in JSON inside a string', '"{\\"__proto__\\":{}}"'],
  ])('W8 a key __proto__ %s is refused', async (_, raw) => {
    for (const schema of [ANY, undefined]) expect(await readCallArguments(raw, schema)).toEqual(refused('"__proto__"'))
  })

  test('W8 __proto__ as a value or a part of a text, and keys such as constructor, are taken', async () => {
    for (const value of [{ path: '__proto__' }, { text: '{"__proto__":1}' }, { list: ['__proto__', ':'] }, { constructor: 1 }]) {
      expect(await readCallArguments(JSON.stringify(value), ANY)).toEqual({ ok: true, value })
    }
  })

  test('W8 a number that would change is refused, whatever way it is written', async () => {
    const schema: JsonSchema = { type: 'object', properties: { x: { type: 'number' } } }
    for (const x of ['9007199254740993', '9.007199254740993e15', '9007199254740993.0']) {
      expect(await readCallArguments(`{"x":${x}}`, schema)).toMatchObject(refused('more digits'))
    }
    for (const x of ['1e400', '-1e999', '1e-400']) {
      expect(await readCallArguments(`{"x":${x}}`, schema)).toMatchObject(refused('beyond the range'))
    }
    expect(await readCallArguments('{"x":1.5e300}', schema)).toMatchObject({ ok: true, value: { x: 1.5e300 } })
  })
})
