// Runs one piece of code in a fresh QuickJS runtime under its limits and says how it ended.
import { type QuickJSContext, type QuickJSHandle, type QuickJSRuntime, type QuickJSWASMModule, Scope } from 'quickjs-emscripten-core'
import { messageOf } from '../../../storage/log/errors.ts'
import type { JsConsoleLine, JsEnding, JsError, JsRunRequest } from './js-sandbox.ts'
import { GUEST_FILE_PREFIX, type GuestFunctions, startGuest } from './start-guest.ts'

/** The code may use `await` and the value of its last expression is kept; the promise that comes back holds `{ value }`. */
const EVAL_FLAG_ASYNC = 1 << 7
/** More than this overflows the browser's own stack in a worker, which kills the engine instead of the code. */
const STACK_BYTES = 64 * 1024
const JOBS_PER_ROUND = 1_000
const LONGEST_TRACE = 8
const DEFAULT_FILE_NAME = 'main.js'

type Guest = {
  readonly vm: QuickJSContext
  readonly runtime: QuickJSRuntime
  readonly scope: Scope
  readonly functions: GuestFunctions
  readonly fileName: string
  readonly deadline: number
  isOver(): boolean
}

/** `isSound`: the engine may be used again. One that trapped may not, its memory is in no known state. */
export type QuickJsRun = { readonly ending: JsEnding; readonly isSound: boolean }

/** Never rejects. */
export const runInQuickJs = async (
  engine: QuickJSWASMModule,
  request: Omit<JsRunRequest, 'onConsole'>,
  emit: (line: JsConsoleLine) => void,
): Promise<QuickJsRun> => {
  const scope = new Scope()
  let ending: JsEnding
  try {
    ending = await evaluate(prepare(engine, scope, request, emit), request.code)
  } catch (error) {
    // Nothing is freed here: inside a broken engine that would only trap again.
    return { ending: { kind: 'crash', message: messageOf(error) }, isSound: false }
  }
  try {
    scope.dispose()
    return { ending, isSound: true }
  } catch {
    // Freeing very deep structures overflows the stack of the browser; the run itself had ended well before.
    return { ending, isSound: false }
  }
}

const prepare = (
  engine: QuickJSWASMModule,
  scope: Scope,
  request: Omit<JsRunRequest, 'onConsole'>,
  emit: (line: JsConsoleLine) => void,
): Guest => {
  const runtime = scope.manage(engine.newRuntime())
  runtime.setMaxStackSize(STACK_BYTES)
  const vm = scope.manage(runtime.newContext())
  const functions = startGuest(vm, scope, request.files, emit)
  // The limits come last: files that fill the memory then fail inside the code, where it can be told, not here.
  runtime.setMemoryLimit(request.memoryBytes)
  const deadline = performance.now() + request.timeoutMs
  const isOver = (): boolean => performance.now() > deadline
  runtime.setInterruptHandler(isOver)
  return { vm, runtime, scope, functions, fileName: request.fileName ?? DEFAULT_FILE_NAME, deadline, isOver }
}

const evaluate = async (guest: Guest, code: string): Promise<JsEnding> => {
  const { vm, scope, fileName } = guest
  let result = vm.evalCode(code, fileName, EVAL_FLAG_ASYNC)
  if (result.error !== undefined && /\breturn\b/.test(code)) {
    const failure = scope.manage(result.error)
    if (!textOf(vm, failure, 'message').startsWith('return not in a function')) return failed(guest, failure)
    // Models write `return` at the top of scripts. On one line with the code, so that line numbers stay true.
    result = vm.evalCode(`(async () => {${code}\n})()`, fileName, EVAL_FLAG_ASYNC)
  }
  if (result.error !== undefined) return failed(guest, scope.manage(result.error))
  const main = scope.manage(result.value)
  const uncaught = await runUntilNothingIsLeft(guest)
  if (uncaught !== undefined) return uncaught
  return ending(guest, main)
}

/** Jobs first, then timers, until neither is left. Gives an ending if that is where it ends. */
const runUntilNothingIsLeft = async (guest: Guest): Promise<JsEnding | undefined> => {
  const { runtime, scope } = guest
  for (;;) {
    const jobs = runtime.executePendingJobs(JOBS_PER_ROUND)
    if (jobs.error !== undefined) return failed(guest, scope.manage(jobs.error))
    if (guest.isOver()) return { kind: 'timeout', killed: false }
    if (runtime.hasPendingJob()) continue
    const delay = callGuest(guest, 'timerDelay', (value) => guest.vm.getNumber(value))
    if (delay === undefined || delay < 0) return undefined
    await pause(Math.min(delay, Math.max(0, guest.deadline - performance.now() + 1)))
    if (guest.isOver()) return { kind: 'timeout', killed: false }
    const fired = guest.vm.callFunction(guest.functions.fireTimer, guest.vm.undefined)
    if (fired.error !== undefined) return failed(guest, scope.manage(fired.error))
    fired.value.dispose()
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const ending = (guest: Guest, main: QuickJSHandle): JsEnding => {
  const outer = settled(guest, main)
  if (outer.kind !== 'fulfilled') return outer.ending
  // The value may be a promise of its own: then what it came to is the value.
  const inner = settled(guest, guest.scope.manage(guest.vm.getProp(outer.value, 'value')))
  if (inner.kind !== 'fulfilled') return inner.ending
  const text = callGuest(guest, 'inspect', (value) => guest.vm.getString(value), inner.value)
  if (text !== undefined) return { kind: 'value', text }
  return guest.isOver() ? { kind: 'timeout', killed: false } : { kind: 'value', text: '[a value that cannot be shown]' }
}

type Settled = { readonly kind: 'fulfilled'; readonly value: QuickJSHandle } | { readonly kind: 'other'; readonly ending: JsEnding }

const settled = (guest: Guest, handle: QuickJSHandle): Settled => {
  const state = guest.vm.getPromiseState(handle)
  if (state.type === 'pending') return { kind: 'other', ending: { kind: 'stuck' } }
  if (state.type === 'rejected') return { kind: 'other', ending: failed(guest, guest.scope.manage(state.error)) }
  if (state.notAPromise) return { kind: 'fulfilled', value: handle }
  return { kind: 'fulfilled', value: guest.scope.manage(state.value) }
}

const failed = (guest: Guest, thrown: QuickJSHandle): JsEnding => {
  // Describing runs code of the guest too, so the clock is asked afterwards.
  const error = describeError(guest, thrown)
  if (guest.isOver()) return { kind: 'timeout', killed: false }
  if (error.name === 'InternalError' && error.message === 'out of memory') return { kind: 'memory' }
  return { kind: 'error', error }
}

const describeError = (guest: Guest, thrown: QuickJSHandle): JsError => {
  const { vm, fileName } = guest
  const json = callGuest(guest, 'describeError', (value) => vm.getString(value), thrown)
  const told = json === undefined ? undefined : parseError(json)
  // Without memory even the description fails; the error object itself is there.
  const { name, message, stack } = told ?? { name: textOf(vm, thrown, 'name'), message: textOf(vm, thrown, 'message'), stack: '' }
  const trace = stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at ') && !line.includes(GUEST_FILE_PREFIX))
  const place = trace.map((line) => placeIn(fileName, line)).find((found) => found !== undefined)
  return { name, message, ...place, trace: trace.slice(0, LONGEST_TRACE) }
}

type ErrorText = { readonly name: string; readonly message: string; readonly stack: string }
const parseError = (json: string): ErrorText | undefined => {
  try {
    const { name, message, stack } = JSON.parse(json) as Partial<Record<string, unknown>>
    return { name: String(name), message: String(message), stack: String(stack ?? '') }
  } catch {
    return undefined // the guest spoiled its own JSON; the caller reads the error itself
  }
}

const placeIn = (fileName: string, line: string): { readonly line: number; readonly column?: number } | undefined => {
  const at = line.indexOf(`${fileName}:`)
  if (at === -1) return undefined
  const [lineNumber, column] = line
    .slice(at + fileName.length + 1)
    .split(/[:)]/)
    .map(Number)
  if (lineNumber === undefined || !Number.isInteger(lineNumber)) return undefined
  return { line: lineNumber, ...(column !== undefined && Number.isInteger(column) && column > 0 ? { column } : {}) }
}

/** Undefined when the guest threw: out of memory or out of time. */
const callGuest = <T>(
  { vm, functions }: Guest,
  name: keyof GuestFunctions,
  read: (value: QuickJSHandle) => T,
  ...args: QuickJSHandle[]
): T | undefined => {
  const result = vm.callFunction(functions[name], vm.undefined, ...args)
  if (result.error !== undefined) {
    result.error.dispose()
    return undefined
  }
  return result.value.consume(read)
}

const textOf = (vm: QuickJSContext, object: QuickJSHandle, key: string): string =>
  vm.typeof(object) === 'object'
    ? vm.getProp(object, key).consume((value) => (vm.typeof(value) === 'string' ? vm.getString(value) : ''))
    : ''
