// Arguments streamed as values at paths (W3, W8): put together to one object, and never anything beyond it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { partialArguments } from '../../../src/worker/llm/wire/gemini/partial-arguments.ts'

test('W3 values are put at their paths, texts in several pieces are joined', () => {
  const args = partialArguments({ path: 'a', kept: 1 })
  for (const [jsonPath, value] of [
    ['$.path', { stringValue: '.md' }],
    ['$.list[0].name', { stringValue: 'x' }],
    ['$.list[1]["odd \'key"]', { numberValue: 2 }],
    ["$['deep']['er']", { boolValue: false }],
    ['$.none', { nullValue: 'NULL_VALUE' }],
    ['$', { stringValue: 'nowhere' }],
    ['nonsense', {}],
  ] as const) {
    args.add({ jsonPath, ...value })
  }
  expect(JSON.parse(args.text('whole'))).toEqual({
    path: 'a.md',
    kept: 1,
    list: [{ name: 'x' }, { "odd 'key": 2 }],
    deep: { er: false },
    none: null,
  })
  expect(() => JSON.parse(args.text('cut'))).toThrow()
})

test('W8 no path whatever reaches beyond the object', () => {
  const step = fc.constantFrom('.__proto__', '.constructor', '.prototype', '[0]', '.list', "['__proto__']", '.polluted', '.toString')
  const before = [
    Object.getOwnPropertyNames(Object.prototype),
    Object.getOwnPropertyNames(Array.prototype),
    Object.getOwnPropertyNames(Object),
  ]
  fc.assert(
    fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), (paths) => {
      const args = partialArguments({ list: [], inner: {} })
      for (const path of paths) args.add({ jsonPath: `$${path.join('')}`, boolValue: true })
      JSON.parse(args.text('whole'))
      expect([
        Object.getOwnPropertyNames(Object.prototype),
        Object.getOwnPropertyNames(Array.prototype),
        Object.getOwnPropertyNames(Object),
      ]).toEqual(before)
    }),
  )
})
