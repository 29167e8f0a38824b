// The port of the JavaScript capability: runs untrusted code where it can reach nothing but what is passed in.

/** `path` is the name the code sees; plain JSON-like text only. */
export type JsFile = { readonly path: string; readonly text: string }
export type JsConsoleLevel = 'log' | 'info' | 'warn' | 'error' | 'debug'
export type JsConsoleLine = { readonly level: JsConsoleLevel; readonly text: string }

export type JsRunRequest = {
  readonly code: string
  /** Shown in error traces. Default `main.js`. */
  readonly fileName?: string
  /** Readable as `files[path]` and `readFile(path)`. */
  readonly files: readonly JsFile[]
  /** For the code itself; loading the engine does not count. */
  readonly timeoutMs: number
  readonly memoryBytes: number
  /** Lines as they come; the result has them all. */
  readonly onConsole?: (line: JsConsoleLine) => void
}

/** `name` and `message` of an Error, or how a thrown non-Error looks. `line` and `column` count from 1. */
export type JsError = {
  readonly name: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  /** Where it happened, innermost first. */
  readonly trace: readonly string[]
}

export type JsEnding =
  /** `text`: the value of the last expression, or of the promise that it was, as a person would write it down. */
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'error'; readonly error: JsError }
  /** `killed`: the code did not even yield to the engine's own clock, so its worker was ended. */
  | { readonly kind: 'timeout'; readonly killed: boolean }
  | { readonly kind: 'memory' }
  /** It waits for a promise that nothing is left to settle. */
  | { readonly kind: 'stuck' }
  /** The engine itself broke, usually on recursion inside a built-in function. The next run has a new one. */
  | { readonly kind: 'crash'; readonly message: string }

export type JsRunResult = {
  readonly ending: JsEnding
  readonly console: readonly JsConsoleLine[]
  /** Console lines that came after the limits were reached. */
  readonly droppedLines: number
  /** Milliseconds that the code took. */
  readonly ms: number
}

export interface JsSandbox {
  /** Whatever the code does is a result. Errors: `worker/start` when the sandbox cannot run at all; the signal's reason when aborted. */
  run(request: JsRunRequest, signal: AbortSignal): Promise<JsRunResult>
}
