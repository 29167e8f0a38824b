// An adapter whose code is loaded with its first call: a worker carries no wire format that it does not speak.
import type { Chunk } from '../../storage/log/model-call.ts'
import type { LlmAdapter } from '../hooks/llm.ts'
import { modelCallError } from './model-call-error.ts'

export const NOT_LOADED =
  'A part of the application could not be loaded. Check the connection, then try again; if a new version was published, reload the page.'

/** Until the code is there, `info` knows nothing. A failed load is a transport failure; the next call tries again. */
export const lazyAdapter = (load: () => Promise<LlmAdapter>): LlmAdapter => {
  let loaded: LlmAdapter | undefined
  let loading: Promise<LlmAdapter> | undefined

  const adapter = async (): Promise<LlmAdapter> => {
    loading ??= load()
    try {
      loaded = await loading
      return loaded
    } catch (cause) {
      loading = undefined
      throw modelCallError({ class: 'transport', message: NOT_LOADED, transient: true }, cause)
    }
  }

  return {
    stream: (request) => ({
      [Symbol.asyncIterator]() {
        let inner: AsyncIterator<Chunk> | undefined
        const begin = async (): Promise<IteratorResult<Chunk>> => {
          inner = (await adapter()).stream(request)[Symbol.asyncIterator]()
          return inner.next()
        }
        return {
          // A stream is asked for each of its chunks: once it runs, nothing stands between.
          next: () => inner?.next() ?? begin(),
          async return() {
            await inner?.return?.()
            return { done: true, value: undefined }
          },
        }
      },
    }),
    info: (provider, model) => loaded?.info?.(provider, model),
    models: async (provider, signal) => (await (await adapter()).models?.(provider, signal)) ?? [],
  }
}
