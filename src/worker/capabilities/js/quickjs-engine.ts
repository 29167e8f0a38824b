// Loads the QuickJS engine when it is first needed, keeps it between runs, and drops it when it can no longer be trusted.

import variant from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, type QuickJSWASMModule } from 'quickjs-emscripten-core'

export interface QuickJsEngine {
  load(): Promise<QuickJSWASMModule>
  /** The next `load` makes a new one: WebAssembly memory only grows, and an engine that trapped is in no known state. */
  drop(): void
}

// An engine that has grown beyond this is not kept for the next run.
const LARGEST_KEPT_BYTES = 96 * 1024 * 1024

export const createQuickJsEngine = (): QuickJsEngine => {
  let engine: Promise<QuickJSWASMModule> | undefined
  const start = (): Promise<QuickJSWASMModule> => {
    const loading = newQuickJSWASMModuleFromVariant(variant)
    engine = loading
    loading.catch(() => {
      if (engine === loading) engine = undefined // so that a later run tries again
    })
    return loading
  }
  return {
    async load() {
      const loaded = await (engine ?? start())
      return loaded.getWasmMemory().buffer.byteLength > LARGEST_KEPT_BYTES ? start() : loaded
    },
    drop() {
      engine = undefined
    },
  }
}
