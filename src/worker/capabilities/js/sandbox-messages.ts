// What the sandbox's owner and its worker say to each other, besides what every such worker says.
import type { JsConsoleLine, JsEnding, JsRunRequest } from './js-sandbox.ts'

export type RunMessage = { readonly type: 'run'; readonly request: Omit<JsRunRequest, 'onConsole'> }

export type SandboxMessage =
  | { readonly type: 'console'; readonly line: JsConsoleLine }
  | { readonly type: 'ended'; readonly ending: JsEnding; readonly droppedLines: number; readonly ms: number }
