// What the sandbox's owner and its worker say to each other.
import type { JsConsoleLine, JsEnding, JsRunRequest } from './js-sandbox.ts'

export type RunMessage = { readonly type: 'run'; readonly request: Omit<JsRunRequest, 'onConsole'> }

export type SandboxMessage =
  /** The engine is loaded, the code begins: from here the clock runs. */
  | { readonly type: 'started' }
  | { readonly type: 'console'; readonly line: JsConsoleLine }
  | { readonly type: 'ended'; readonly ending: JsEnding; readonly droppedLines: number; readonly ms: number }
  /** The engine could not be loaded. */
  | { readonly type: 'unavailable'; readonly message: string }
