// llama.cpp, compiled to WebAssembly by the wllama package, as an engine: the only file that loads that package.
import { Wllama } from '@wllama/wllama'
import { messageOf } from '../../../../storage/log/errors.ts'
import type { AnswerListener } from '../engine.ts'
import { EngineCrash, type EngineInWorker } from '../serve-engine.ts'

const WASM = new URL('@wllama/wllama/esm/wasm/wllama.wasm', import.meta.url).href

const silent = (): void => {}

/** What the package throws once its WebAssembly is gone; every other error concerns the request. */
const isCrash = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'RuntimeError' || ('type' in error && error.type === 'model_not_loaded'))

export const wllamaInWorker = (): EngineInWorker => {
  let engine: Wllama | undefined
  return {
    async load(files, { contextWindow }) {
      const said: string[] = []
      const logger = {
        debug: silent,
        log: silent,
        warn: silent,
        error: (...words: unknown[]) => void said.push(words.map(messageOf).join(' ')),
      }
      const wllama = new Wllama({ default: WASM }, { logger })
      try {
        await wllama.loadModel(
          files.map(({ blob }) => blob),
          { n_ctx: contextWindow, n_parallel: 1, jinja: true },
        )
      } catch (error) {
        throw new Error(said[0] ?? messageOf(error))
      }
      const { n_vocab, n_ctx } = wllama.getLoadedContextInfo()
      // wllama 3.13 resolves for files that llama.cpp refused; then there are no words in the model.
      if (n_vocab === 0) throw new Error(said[0] ?? 'llama.cpp could not read it')
      said.length = 0
      engine = wllama
      return { contextWindow: n_ctx }
    },
    async answer(body, on, signal) {
      if (engine === undefined) throw new EngineCrash('nothing was loaded')
      try {
        await pass(engine, body, on, signal)
      } catch (error) {
        throw isCrash(error) ? new EngineCrash(messageOf(error)) : error
      }
    },
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
