// The JavaScript sandbox as it is: real workers, real QuickJS, code that misbehaves in every way (C3).
import { afterAll, expect, test } from 'vitest'
import type { JsRunRequest, JsRunResult } from '../../../src/worker/capabilities/js/js-sandbox.ts'
import { jsWorkerSandbox } from '../../../src/worker/capabilities/js/js-worker-sandbox.ts'

const sandbox = jsWorkerSandbox()
afterAll(() => sandbox.dispose())

const run = (code: string, request: Partial<JsRunRequest> = {}): Promise<JsRunResult> =>
  sandbox.run({ code, files: [], timeoutMs: 2_000, memoryBytes: 32 * 1024 * 1024, ...request }, new AbortController().signal)

const valueIn = async (code: string, request?: Partial<JsRunRequest>): Promise<string> => {
  const { ending } = await run(code, request)
  return ending.kind === 'value' ? ending.text : JSON.stringify(ending)
}

const expectNextRunToWork = async (): Promise<void> => expect(await valueIn('6 * 7')).toBe('42')

test.each([
  ['1 + 1', '2'],
  ['const x = 2; x ** 10', '1024'],
  ['let y = 1', 'undefined'],
  ['"text"', '"text"'],
  ['"two\\nlines"', '`two\nlines`'],
  ['-0', '-0'],
  ['2n ** 70n', '1180591620717411303424n'],
  ['const a = await Promise.resolve(20); a + 1', '21'],
  ['Promise.resolve([1, 2])', '[ 1, 2 ]'],
  ['(async () => ({ ok: true }))()', '{ ok: true }'],
  ['return 5', '5'],
  ['if (true) { return await Promise.resolve("early") }', '"early"'],
  ['[1, , 3]', '[ 1, <1 empty>, 3 ]'],
  ['new Map([["a", new Set([1])]])', 'Map(1) { "a" => Set(1) { 1 } }'],
  ['class Point { constructor() { this.x = 1 } }; new Point()', 'Point { x: 1 }'],
  ['({ "odd key": null, [Symbol("s")]: undefined })', '{ "odd key": null, [Symbol(s)]: undefined }'],
  ['new Date(0)', '1970-01-01T00:00:00.000Z'],
  ['new Date(NaN)', 'Invalid Date'],
  ['/x+/gi', '/x+/gi'],
  ['(function named() {})', '[Function named]'],
  ['(class Thing {})', '[class Thing]'],
  ['new Uint8Array([1, 2])', 'Uint8Array(2) [ 1, 2 ]'],
  ['const o = {}; o.self = o; o', '{ self: [Circular] }'],
  ['Object.create(null)', '{}'],
  ['JSON.parse(\'{"__proto__": 1}\')', '{ __proto__: 1 }'],
])('C3 the value of %s is written down as %s', async (code, text) => {
  expect(await valueIn(code)).toBe(text)
})

test('C3 long values are shown in part and say how much is left out', async () => {
  expect(await valueIn('Array.from({ length: 5000 }, (_, i) => i)')).toContain('… 4900 more')
  expect(await valueIn('"x".repeat(1_000_000)')).toContain('more characters')
  const deep = await valueIn('let d = {}; for (let i = 0; i < 50; i++) d = { d }; d')
  expect(deep).toBe('{ d: { d: { d: { d: { d: {…} } } } } }')
  const many = await valueIn('Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => "y".repeat(5000)))')
  expect(many.length).toBeLessThan(100_000)
})

test('C3 getters are named and never called, also when they throw', async () => {
  expect(await valueIn('({ get a() { throw new Error("no") }, set b(v) {}, c: 1 })')).toBe('{ a: [Getter], b: [Setter], c: 1 }')
  await expectNextRunToWork()
})

test('C3 a proxy that refuses to be looked at is said to be one', async () => {
  const text = await valueIn('new Proxy({}, { ownKeys() { throw new Error("hands off") } })')
  expect(text).toBe('[cannot be shown: hands off]')
})

test('C3 console lines come back in order with their level, values written down', async () => {
  const { console } = await run(`
    console.log('a', 1, { b: [2] })
    console.info('%s is %d%%', 'x', 50, true)
    console.warn(new Error('careful').message)
    console.group('list'); console.error('inside\\nit'); console.groupEnd()
    console.debug(null, undefined, () => {})
    console.assert(1 > 2, 'odd')
    console.table([{ a: 1 }])
    console.count(); console.count('k')
  `)
  expect(console).toEqual([
    { level: 'log', text: 'a 1 { b: [ 2 ] }' },
    { level: 'info', text: 'x is 50% true' },
    { level: 'warn', text: 'careful' },
    { level: 'log', text: 'list' },
    { level: 'error', text: '  inside\n  it' },
    { level: 'debug', text: 'null undefined [Function]' },
    { level: 'error', text: 'Assertion failed odd' },
    { level: 'log', text: '[ { a: 1 } ]' },
    { level: 'log', text: 'default: 1' },
    { level: 'log', text: 'k: 1' },
  ])
})

test('C3 console lines are passed on while the code runs', async () => {
  const seen: string[] = []
  await run('console.log("one"); await new Promise((r) => setTimeout(r, 5)); console.log("two")', {
    onConsole: ({ text }) => seen.push(text),
  })
  expect(seen).toEqual(['one', 'two'])
})

test('C3 huge console output is cut, counted, and does not stop the run', async () => {
  const result = await run('for (let i = 0; i < 50_000; i++) console.log("line " + i); console.log("y".repeat(1e6)); "done"', {
    timeoutMs: 10_000,
  })
  expect(result.ending).toEqual({ kind: 'value', text: '"done"' })
  expect(result.console).toHaveLength(1_000)
  expect(result.droppedLines).toBe(49_001)
  const long = await run('console.log("y".repeat(1e6))')
  expect(long.console[0]?.text.length).toBeLessThan(11_000)
  await expectNextRunToWork()
})

test('C3 an error tells its name, message, line and where it came from', async () => {
  const { ending } = await run('const a = 1\nfunction inner() { return missing + a }\nfunction outer() {\n  return inner()\n}\nouter()', {
    fileName: 'program.js',
  })
  expect(ending).toMatchObject({
    kind: 'error',
    error: { name: 'ReferenceError', message: "'missing' is not defined", line: 2 },
  })
  expect(ending.kind === 'error' && ending.error.trace.map((line) => line.replace(/:\d+\)$/, ')'))).toEqual([
    'at inner (program.js:2)',
    'at outer (program.js:4)',
    'at <eval> (program.js:6)',
  ])
})

test('C3 a syntax error tells its line', async () => {
  const { ending } = await run('let a = 1\nlet b = = 2\n')
  expect(ending).toMatchObject({ kind: 'error', error: { name: 'SyntaxError', line: 2 } })
})

test.each([
  ['throw { a: 1 }', { name: 'Thrown value', message: '{ a: 1 }' }],
  ['throw undefined', { name: 'Thrown value', message: 'undefined' }],
  ['throw null', { name: 'Thrown value', message: 'null' }],
  ['await Promise.reject("text")', { name: 'Thrown value', message: '"text"' }],
  ['Promise.reject(new TypeError("later"))', { name: 'TypeError', message: 'later' }],
  ['setTimeout(() => { throw new RangeError("in a timer") }, 1)', { name: 'RangeError', message: 'in a timer' }],
  ['throw Object.defineProperty(new Error("m"), "message", { get() { throw 1 } })', { name: 'Error', message: '' }],
  ['throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })', { name: 'Thrown value', message: '[cannot be shown]' }],
  ['throw new Error("outer", { cause: "inner" })', { name: 'Error', message: 'outer (cause: "inner")' }],
])('C3 whatever is thrown is told: %s', async (code, error) => {
  expect((await run(code)).ending).toMatchObject({ kind: 'error', error })
  await expectNextRunToWork()
})

test.each([
  ['an endless loop', 'while (true) {}'],
  ['an endless loop in a promise job', 'Promise.resolve().then(() => { while (true) {} })'],
  ['promise jobs that never run out', 'const f = () => Promise.resolve().then(f); f()'],
  ['a loop that catches everything', 'while (true) { try { while (true) {} } catch {} }'],
  ['an endless generator', 'function* g() { while (true) yield 1 }; [...g()].length'],
  ['a regular expression that backtracks for ever', '/(a+)+$/.test("a".repeat(40) + "!")'],
  ['a timer that repeats for ever', 'setInterval(() => {}, 1)'],
  ['a timer that is too far away', 'await new Promise((r) => setTimeout(r, 1e9))'],
  ['an endless loop in a getter of a promise', 'await { get then() { while (true) {} } }'],
  ['an endless loop in the name of an error', 'throw Object.defineProperty(new Error(), "name", { get() { while (true) {} } })'],
])('C3 %s ends at the time limit, and the next run works', async (_what, code) => {
  const { ending, ms } = await run(code, { timeoutMs: 300, memoryBytes: 64 * 1024 * 1024 })
  expect(ending).toEqual({ kind: 'timeout', killed: false })
  expect(ms).toBeLessThan(2_000)
  await expectNextRunToWork()
})

test('C3 the time limit is told apart', async () => {
  expect((await run('console.log("before"); while (true) {}', { timeoutMs: 200 })).ending).toEqual({ kind: 'timeout', killed: false })
})

test('C3 code that does not yield to the clock of the engine is killed with its worker, and what it printed is kept', async () => {
  // One call of a built-in function that runs for many seconds without looking at the clock.
  const code = 'console.log("started"); const big = 3n ** 20_000_000n; big > 1n'
  const stubborn = jsWorkerSandbox({ graceMs: 0 })
  const { ending, console } = await stubborn.run(
    { code, files: [], timeoutMs: 50, memoryBytes: 512 * 1024 * 1024 },
    new AbortController().signal,
  )
  expect(ending).toEqual({ kind: 'timeout', killed: true })
  expect(console).toEqual([{ level: 'log', text: 'started' }])
  const next = await stubborn.run({ code: '1', files: [], timeoutMs: 1_000, memoryBytes: 1e7 }, new AbortController().signal)
  expect(next.ending).toEqual({ kind: 'value', text: '1' })
  stubborn.dispose()
})

test.each([
  ['in an array', 'const a = []; while (true) a.push(new Array(1000).fill(1))'],
  ['in a string', 'let s = "x"; while (true) s += s'],
  ['at once', '"x".repeat(2 ** 29)'],
  ['in a typed array', 'new Uint8Array(2 ** 30)'],
  ['in promises', 'const all = []; while (true) all.push(new Promise(() => {}))'],
])('C3 a memory bomb %s ends with a clear result, and the next run works', async (_what, code) => {
  const { ending } = await run(code, { timeoutMs: 1_500 })
  expect(ending.kind === 'error' ? ending.error.message : ending.kind).toMatch(/^(memory|timeout|.*too (long|large).*|invalid .*length)$/)
  await expectNextRunToWork()
})

test('C3 the memory limit is the one that was asked for', async () => {
  const code = '"x".repeat(40 * 1024 * 1024).length'
  expect((await run(code, { memoryBytes: 32 * 1024 * 1024 })).ending).toEqual({ kind: 'memory' })
  expect((await run(code, { memoryBytes: 64 * 1024 * 1024 })).ending).toEqual({ kind: 'value', text: '41943040' })
})

test.each([
  ['of functions', 'const f = () => f() + 1; f()'],
  ['in toString', 'const o = { toString() { return String(o) } }; String(o)'],
  ['through a proxy', 'const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x'],
  ['in JSON.parse', 'JSON.parse("[".repeat(100000))'],
  ['in JSON.stringify', 'let d = []; for (let i = 0; i < 1e5; i++) d = [d]; JSON.stringify(d)'],
  ['in the parser', 'eval("[".repeat(50000))'],
  ['in a regular expression', 'new RegExp("(".repeat(20000) + ")".repeat(20000))'],
  ['in a sort', 'const s = () => [2, 1].sort(s); s()'],
  ['in a chain of promises', 'const f = async () => { await f() }; await f()'],
])('C3 deep recursion %s ends with a clear result, and the next run works', async (_what, code) => {
  const { ending } = await run(code)
  expect(['error', 'crash', 'memory', 'timeout']).toContain(ending.kind)
  await expectNextRunToWork()
})

test('C3 a stack that is too deep is an error the code can catch', async () => {
  expect(await valueIn('const f = () => f() + 1; try { f() } catch (e) { e.message }')).toBe('"stack overflow"')
})

test('C3 a promise that nothing can settle is told as such', async () => {
  expect((await run('new Promise(() => {})')).ending).toEqual({ kind: 'stuck' })
  expect((await run('await new Promise(() => {}); 1')).ending).toEqual({ kind: 'stuck' })
  await expectNextRunToWork()
})

test('C3 timers run in order, and the run ends when nothing is left', async () => {
  const { ending, console } = await run(`
    setTimeout(() => console.log('later'), 20)
    setTimeout(() => console.log('soon'), 1)
    const stop = setInterval(() => { console.log('tick'); clearInterval(stop) }, 5)
    queueMicrotask(() => console.log('job'))
    await new Promise((resolve) => setTimeout(resolve, 2))
    'value'
  `)
  expect(ending).toEqual({ kind: 'value', text: '"value"' })
  expect(console.map(({ text }) => text)).toEqual(['job', 'soon', 'tick', 'later'])
})

test('C3 files that were passed in can be read by either name, and what is missing is named', async () => {
  const files = [
    { path: '/data/a.txt', text: 'one two' },
    { path: 'b.txt', text: 'ünï 😀' },
    { path: '__proto__', text: 'plain' },
  ]
  expect(await valueIn(`[files['/data/a.txt'], readFile('data/a.txt'), readFile('./b.txt'), files['__proto__']]`, { files })).toBe(
    '[ "one two", "one two", "ünï 😀", "plain" ]',
  )
  expect(await valueIn('Object.keys(files)', { files })).toBe('[ "/data/a.txt", "b.txt", "__proto__" ]')
  const { ending } = await run('readFile("c.txt")', { files })
  expect(ending).toMatchObject({
    error: { message: expect.stringContaining('There is no file "c.txt" here. Passed in: /data/a.txt, b.txt') },
  })
})

test('C3 nothing of the browser can be reached', async () => {
  const names = ['fetch', 'XMLHttpRequest', 'WebSocket', 'indexedDB', 'caches', 'self', 'window', 'document', 'navigator', 'location']
  const more = [
    'postMessage',
    'importScripts',
    'Worker',
    'BroadcastChannel',
    'localStorage',
    'process',
    'require',
    'std',
    'os',
    'WebAssembly',
  ]
  expect(await valueIn(`${JSON.stringify([...names, ...more])}.filter((name) => typeof globalThis[name] !== 'undefined')`)).toBe('[]')
  expect((await run('await import("https://example.com/x.js")')).ending).toMatchObject({ kind: 'error' })
  expect(await valueIn('(() => {}).constructor("return typeof fetch")()')).toBe('"undefined"')
})

test('C3 nothing is left behind by an earlier run', async () => {
  await run('globalThis.left = 1; Array.prototype.map = null; Object.prototype.x = 1; JSON.stringify = () => "spoiled"')
  expect(await valueIn('[typeof left, typeof [].map, typeof ({}).x]')).toBe('[ "undefined", "function", "undefined" ]')
})

test('C3 code that spoils the built-ins spoils only its own output', async () => {
  const { ending } = await run(`
    Array.prototype.push = Array.prototype.join = () => { throw new Error('spoiled') }
    JSON.stringify = JSON.parse = Reflect.apply = Object.keys = () => { throw 1 }
    String.prototype.replace = RegExp.prototype.exec = () => null
    Promise.prototype.then = () => { while (true) {} }
    console.log('still', { here: [1] })
    throw new Error('the end')
  `)
  expect(['error', 'timeout']).toContain(ending.kind)
  await expectNextRunToWork()
})

test('C3 aborting ends the run at once, and the next run works', async () => {
  const stop = new AbortController()
  const running = sandbox.run(
    {
      code: 'console.log("on"); while (true) {}',
      files: [],
      timeoutMs: 60_000,
      memoryBytes: 1e7,
      onConsole: () => stop.abort(new Error('stopped by the person')),
    },
    stop.signal,
  )
  await expect(running).rejects.toThrow('stopped by the person')
  await expect(run('1', {}).then(() => sandbox.run({ code: '1', files: [], timeoutMs: 1, memoryBytes: 1 }, stop.signal))).rejects.toThrow()
  await expectNextRunToWork()
})

test('C3 runs at the same time do not see each other, more than there are workers wait', async () => {
  const small = jsWorkerSandbox({ maxWorkers: 2 })
  const results = await Promise.all(
    [1, 2, 3, 4, 5].map((n) =>
      small.run(
        { code: `globalThis.n = (globalThis.n ?? 0) + ${n}; n`, files: [], timeoutMs: 2_000, memoryBytes: 1e7 },
        new AbortController().signal,
      ),
    ),
  )
  expect(results.map(({ ending }) => ending)).toEqual([1, 2, 3, 4, 5].map((n) => ({ kind: 'value', text: `${n}` })))
  small.dispose()
})

test('C3 a run that waits for its turn can be aborted, and a closed sandbox rejects what runs', async () => {
  const single = jsWorkerSandbox({ maxWorkers: 1 })
  const request = { code: 'while (true) {}', files: [], timeoutMs: 60_000, memoryBytes: 1e7 }
  const first = single.run(request, new AbortController().signal)
  const stop = new AbortController()
  const second = single.run(request, stop.signal)
  stop.abort(new Error('no longer wanted'))
  await expect(second).rejects.toThrow('no longer wanted')
  single.dispose()
  await expect(first).rejects.toMatchObject({ code: 'worker/dead' })
})

test('C3 a sandbox that cannot start says what to look at', async () => {
  const missing = jsWorkerSandbox({ createWorker: () => new Worker('/no-such-worker.js', { type: 'module' }) })
  await expect(
    missing.run({ code: '1', files: [], timeoutMs: 1_000, memoryBytes: 1e7 }, new AbortController().signal),
  ).rejects.toMatchObject({
    code: 'worker/start',
    message: expect.stringContaining('wasm-unsafe-eval'),
  })
  const silent = jsWorkerSandbox({ startMs: 100, createWorker: () => new Worker(URL.createObjectURL(new Blob(['']))) })
  await expect(silent.run({ code: '1', files: [], timeoutMs: 1_000, memoryBytes: 1e7 }, new AbortController().signal)).rejects.toThrow(
    'nothing came back within 100 ms',
  )
  const refused = jsWorkerSandbox({
    createWorker: () => {
      throw new Error('blocked by policy')
    },
  })
  await expect(refused.run({ code: '1', files: [], timeoutMs: 1_000, memoryBytes: 1e7 }, new AbortController().signal)).rejects.toThrow(
    'blocked by policy',
  )
})
