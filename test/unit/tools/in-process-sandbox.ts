// The real QuickJS without its worker, for tests in Node: everything but the hard kill.
import type { JsConsoleLine, JsSandbox } from '../../../src/worker/capabilities/js/js-sandbox.ts'
import { createQuickJsEngine } from '../../../src/worker/capabilities/js/quickjs-engine.ts'
import { runInQuickJs } from '../../../src/worker/capabilities/js/run-in-quickjs.ts'

export const inProcessSandbox = (): JsSandbox => {
  const engine = createQuickJsEngine()
  return {
    async run({ onConsole, ...request }, signal) {
      signal.throwIfAborted()
      const console: JsConsoleLine[] = []
      const { ending, isSound } = await runInQuickJs(await engine.load(), request, (line) => {
        console.push(line)
        onConsole?.(line)
      })
      if (!isSound) engine.drop()
      return { ending, console, droppedLines: 0, ms: 1 }
    },
  }
}
