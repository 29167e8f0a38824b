// When set-up runs npm ci: told from the two locks and the machine, without touching a disk.
import { expect, test } from 'vitest'
import { firstDifference } from '../../../scripts/installed.mjs'

const machine = { os: 'linux', cpu: 'x64', libc: 'glibc' }
const lock = (packages: Record<string, object>) => ({ packages: { '': { version: '1.0.0' }, ...packages } })

test('the same packages need no install', () => {
  expect(
    firstDifference(lock({ 'node_modules/a': { version: '1.0.0' } }), lock({ 'node_modules/a': { version: '1.0.0' } }), machine),
  ).toBeUndefined()
})

test('a missing package and another version need one, and are named', () => {
  expect(firstDifference(lock({ 'node_modules/a': { version: '1.0.0' } }), lock({}), machine)).toBe('node_modules/a is missing')
  expect(firstDifference(lock({ 'node_modules/a': { version: '1.0.0' } }), lock({ 'node_modules/a': { version: '0.9.0' } }), machine)).toBe(
    'node_modules/a is 0.9.0, wanted 1.0.0',
  )
})

test('a native part of another system may be absent, the one of this system may not', () => {
  const native = (os: string, libc: string) => ({ version: '1.0.0', optional: true, os: [os], cpu: ['x64'], libc: [libc] })
  expect(
    firstDifference(lock({ 'node_modules/a-mac': { ...native('darwin', 'glibc'), libc: undefined } }), lock({}), machine),
  ).toBeUndefined()
  expect(firstDifference(lock({ 'node_modules/a-musl': native('linux', 'musl') }), lock({}), machine)).toBeUndefined()
  expect(firstDifference(lock({ 'node_modules/a-linux': native('linux', 'glibc') }), lock({}), machine)).toBe(
    'node_modules/a-linux is missing',
  )
})
