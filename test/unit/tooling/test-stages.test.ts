// How npm test counts: nothing that went wrong may end in zero failures.
import { expect, test } from 'vitest'
import { hasWarning, judgeTests } from '../../../scripts/test-stages.mjs'

const result = (given: Partial<{ passed: number; failed: number; skipped: number }>) => ({
  code: 0,
  passed: 3,
  failed: 0,
  skipped: 0,
  ...given,
})

test('three tests and the check that none was skipped', () => {
  expect(judgeTests('unit', result({}), 0)).toEqual({ passed: 4, failed: 0, failures: [] })
})

test.each([
  ['a stage without a report', undefined, 1],
  ['a stage without a report that says it went well', undefined, 0],
  ['a stage whose tests pass but which ends with an error', result({}), 1],
  ['a stage with a skipped test', result({ skipped: 1 }), 0],
  ['a stage in which no test ran', result({ passed: 0 }), 0],
  ['a failed test', result({ failed: 1 }), 1],
])('%s counts one failure', (_what, given, code) => {
  expect(judgeTests('unit', given, code).failed).toBe(1)
})

test.each([
  '(!) Some chunks are large',
  '[vite] warning: a',
  '\x1b[33m[EVAL] \x1b[0mUse of direct eval',
  'Warning: b',
  '[PLUGIN_WARNING] c',
])('the build output %j is a warning', (line) => {
  expect(hasWarning(line)).toBe(true)
})

test('plain build output is no warning', () => {
  expect(hasWarning('vite v8.3.8 building for production...\ndist/app/assets/a-[hash].js 1 kB │ gzip: 1 kB\n✓ built in 3ms')).toBe(false)
})
