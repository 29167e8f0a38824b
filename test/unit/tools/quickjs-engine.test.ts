// The engine is kept between runs and replaced when it can no longer be trusted (C3).
import { expect, test } from 'vitest'
import { createQuickJsEngine } from '../../../src/worker/capabilities/js/quickjs-engine.ts'
import { runInQuickJs } from '../../../src/worker/capabilities/js/run-in-quickjs.ts'

const request = (code: string) => ({ code, files: [], timeoutMs: 2_000, memoryBytes: 256 * 1024 * 1024 })

test('C3 one engine serves many runs, a dropped one is replaced', async () => {
  const engine = createQuickJsEngine()
  const first = await engine.load()
  expect(await engine.load()).toBe(first)
  engine.drop()
  expect(await engine.load()).not.toBe(first)
})

test('C3 an engine that broke says that it may not be used again', async () => {
  const engine = createQuickJsEngine()
  expect(await runInQuickJs(await engine.load(), request('1'), () => {})).toEqual({ ending: { kind: 'value', text: '1' }, isSound: true })
  const broken = await runInQuickJs(await engine.load(), request('eval("[".repeat(50000))'), () => {})
  expect(broken).toMatchObject({ ending: { kind: 'crash' }, isSound: false })
})

test('C3 an engine that took much memory is not kept: WebAssembly never gives memory back', async () => {
  const engine = createQuickJsEngine()
  const first = await engine.load()
  await runInQuickJs(first, request('"x".repeat(150 * 1024 * 1024).length'), () => {})
  expect(await engine.load()).not.toBe(first)
})
