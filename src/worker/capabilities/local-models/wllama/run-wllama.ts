// llama.cpp, compiled to WebAssembly by the wllama package, as an engine: the only file that loads that package.
import { Wllama } from '@wllama/wllama'
import { messageOf } from '../../../../storage/log/errors.ts'
import type { AnswerListener } from '../engine.ts'
import { EngineCrash, type EngineInWorker } from '../serve-engine.ts'

/** Kept as a blob, because the package fetches it anew for each model, also when there is no network any more. */
const WASM = new URL('@wllama/wllama/esm/wasm/wllama.wasm', import.meta.url).href

const silent = (): void => {}

/** What the package throws once its WebAssembly is gone; every other error concerns the request. */
const isCrash = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'RuntimeError' || ('type' in error && error.type === 'model_not_loaded'))

export const wllamaInWorker = (): EngineInWorker => {
  let engine: Wllama | undefined
  let wasm: string | undefined
  const unload = (): void => {
    engine?.exit().catch(silent) // its worker is gone in any case
    engine = undefined
  }
  return {
    async warm() {
      if (wasm !== undefined) return
      const response = await fetch(WASM)
      if (!response.ok) throw new Error(`${WASM}: status ${response.status}`)
      wasm = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: 'application/wasm' }))
    },
    async load(files, { contextWindow }) {
      unload()
      const said: string[] = []
      const logger = {
        debug: silent,
        log: silent,
        warn: silent,
        error: (...words: unknown[]) => void said.push(words.map(messageOf).join(' ')),
      }
      const wllama = new Wllama({ default: wasm ?? WASM }, { logger })
      engine = wllama
      try {
        await wllama.loadModel(
          files.map(({ blob }) => blob),
          { n_ctx: contextWindow, n_parallel: 1, jinja: true },
        )
      } catch (error) {
        unload()
        throw new Error(said[0] ?? messageOf(error))
      }
      const { n_vocab, n_ctx } = wllama.getLoadedContextInfo()
      if (n_vocab === 0) {
        // wllama 3.13 resolves for files that llama.cpp refused; then there are no words in the model.
        unload()
        throw new Error(said[0] ?? 'llama.cpp could not read it')
      }
      said.length = 0
      return { contextWindow: n_ctx }
    },
    async answer(body, on, signal) {
      if (engine === undefined) throw new EngineCrash('it was unloaded')
      try {
        await pass(engine, body, on, signal)
      } catch (error) {
        throw isCrash(error) ? new EngineCrash(messageOf(error)) : error
      }
    },
    unload,
  }
}

type ChatParameters = Parameters<Wllama['createChatCompletion']>[0]

/** `return_progress` is llama.cpp's own: events tell how far the prompt is read, before there is anything else in them. */
const pass = async (engine: Wllama, body: object, on: AnswerListener, signal: AbortSignal): Promise<void> => {
  const request = { ...(body as ChatParameters), stream: true as const, return_progress: true, abortSignal: signal }
  for await (const event of await engine.createChatCompletion(request)) {
    if (signal.aborted) return
    const { prompt_progress: progress } = event as { readonly prompt_progress?: { readonly total: number; readonly processed: number } }
    if (progress !== undefined && progress.total > 0) on.reading?.(Math.min(1, progress.processed / progress.total))
    else on.event(JSON.stringify(event))
  }
}
