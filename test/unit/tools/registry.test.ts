// Registration, canonical order (L54) and what may run in parallel (L53).
import { expect, test } from 'vitest'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { createTools } from './bare-call.ts'

const named = (name: string) => defineTool({ name, description: `does ${name}`, parameters: {}, execute: () => name })

test('L54 tools are in order of name, whatever the order of registration', () => {
  const { registry } = createTools()
  for (const name of ['zebra', 'Apple', 'apple', 'mouse_2', 'mouse_10']) registry.register(named(name))
  expect(registry.schemas().map(({ name }) => name)).toEqual(['Apple', 'apple', 'mouse_10', 'mouse_2', 'zebra'])
})

test('L54 toolOrder comes first, the others follow by name', () => {
  const { registry } = createTools({ toolOrder: ['run', 'absent', 'read'] })
  for (const name of ['a', 'read', 'z', 'run']) registry.register(named(name))
  expect(registry.schemas().map(({ name }) => name)).toEqual(['run', 'read', 'a', 'z'])
})

test('L90 the schemas are the same frozen array until a tool comes or goes', () => {
  const { registry } = createTools()
  registry.register(named('one'))
  const before = registry.schemas()
  expect(registry.schemas()).toBe(before)
  expect(Object.isFrozen(before)).toBe(true)
  registry.register(named('two'))
  expect(registry.schemas()).not.toBe(before)
})

test('a name that is taken is refused, and is free again when its tool is gone', async () => {
  const { registry } = createTools()
  const dispose = registry.register(named('echo'))
  expect(() => registry.register(named('echo'))).toThrow('There already is a tool named "echo"')
  await dispose()
  expect(registry.get('echo')).toBeUndefined()
  const second = named('echo')
  registry.register(second)
  await dispose()
  expect(registry.get('echo')).toBe(second)
})

test.each(['', 'has space', 'dots.are.out', 'ünïcode', 'x'.repeat(65)])('a name that vendors refuse is refused at once: %j', (name) => {
  const { registry } = createTools()
  expect(() => registry.register(named(name))).toThrow(SideloopError)
})

test('parameters that cannot be read are refused with the name of the tool', () => {
  const { registry } = createTools()
  const tool = defineTool({ name: 'bad', description: '', parameters: 'text', execute: () => '' })
  expect(() => registry.register(tool)).toThrow(/The tool "bad" cannot be registered\. The parameters of a tool must be/)
})

test('L53 only an exact true is parallel, on arguments that fit', () => {
  const { registry } = createTools()
  const parameters = { path: { type: 'string', required: true } } as const
  const say = (name: string, answer: () => unknown) =>
    registry.register(defineTool({ name, description: '', parameters, execute: () => '', isConcurrencySafe: answer as () => boolean }))
  say('yes', () => true)
  say('truthy', () => 1)
  say('broken', () => {
    throw new Error('cannot tell')
  })
  registry.register(named('silent'))
  expect(registry.isConcurrencySafe('yes', { path: '/a' })).toBe(true)
  expect(registry.isConcurrencySafe('yes', {})).toBe(false)
  expect(registry.isConcurrencySafe('truthy', { path: '/a' })).toBe(false)
  expect(registry.isConcurrencySafe('broken', { path: '/a' })).toBe(false)
  expect(registry.isConcurrencySafe('silent', {})).toBe(false)
  expect(registry.isConcurrencySafe('unknown', {})).toBe(false)
})
