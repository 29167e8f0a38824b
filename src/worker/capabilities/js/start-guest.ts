// Gives a fresh QuickJS context what the code of a model finds there: console, timers, files; and what the host needs to read values.
import type { QuickJSContext, QuickJSHandle, Scope } from 'quickjs-emscripten-core'
import consoleScript from './guest/console.js?raw'
import filesScript from './guest/files.js?raw'
import inspectScript from './guest/inspect.js?raw'
import timersScript from './guest/timers.js?raw'
import type { JsConsoleLine, JsFile } from './js-sandbox.ts'

/** Functions inside the context that only the host holds: the code of the model cannot reach or replace them. */
export type GuestFunctions = {
  /** Any value → text. */
  readonly inspect: QuickJSHandle
  /** Anything thrown → JSON text of { name, message, stack }. */
  readonly describeError: QuickJSHandle
  /** → milliseconds until the next timer; −1 without one. */
  readonly timerDelay: QuickJSHandle
  readonly fireTimer: QuickJSHandle
}

/** Begins the file name of our own scripts in traces. */
export const GUEST_FILE_PREFIX = 'sideloop:'

/** Before limits are set and code of the model runs. Handles live as long as `scope`. */
export const startGuest = (
  vm: QuickJSContext,
  scope: Scope,
  files: readonly JsFile[],
  emit: (line: JsConsoleLine) => void,
): GuestFunctions => {
  const start = (name: string, script: string, ...args: QuickJSHandle[]): QuickJSHandle => {
    const starter = scope.manage(vm.unwrapResult(vm.evalCode(script, `${GUEST_FILE_PREFIX}${name}`, { type: 'global' })))
    return scope.manage(vm.unwrapResult(vm.callFunction(starter, vm.undefined, ...args)))
  }
  const part = (object: QuickJSHandle, name: string): QuickJSHandle => scope.manage(vm.getProp(object, name))
  const texts = (list: readonly string[]): QuickJSHandle => {
    const array = scope.manage(vm.newArray())
    for (const [index, text] of list.entries()) vm.newString(text).consume((handle) => vm.setProp(array, index, handle))
    return array
  }

  const inspection = start('inspect', inspectScript)
  const inspect = part(inspection, 'inspect')
  const emitter = vm.newFunction('emit', (level, text) => {
    emit({ level: vm.getString(level) as JsConsoleLine['level'], text: vm.getString(text) })
  })
  start('console', consoleScript, scope.manage(emitter), inspect)
  start('files', filesScript, texts(files.map(({ path }) => path)), texts(files.map(({ text }) => text)), inspect)
  const timers = start('timers', timersScript)
  return {
    inspect,
    describeError: part(inspection, 'describeError'),
    timerDelay: part(timers, 'timerDelay'),
    fireTimer: part(timers, 'fireTimer'),
  }
}
