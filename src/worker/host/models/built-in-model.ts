// The worker's end of the bridge to the page's built-in model: calls by number over a port.

import type { Availability, BuiltInEnd, BuiltInModel } from '../../llm/adapters/prompt-api.ts'
import { lazyAdapter } from '../../llm/lazy-adapter.ts'
import type { Scope } from '../../loop/scope.ts'
import { type BuiltInAsk, type BuiltInTell, BUILT_IN_PROVIDER as PROVIDER } from '../../protocol/built-in-model.ts'
import type { ModelChoice } from '../../protocol/providers.ts'

type Waiting = {
  readonly chunk?: (text: string) => void
  readonly progress?: (loaded: number) => void
  resolve(told: BuiltInTell): void
  reject(error: unknown): void
}

export type PortModel = BuiltInModel & {
  /** Ends what is under way: the page has gone, or has offered another port. */
  close(): void
}

export const portModel = (port: MessagePort): PortModel => {
  const waiting = new Map<number, Waiting>()
  let asked = 0
  let closed = false
  const post = (ask: BuiltInAsk) => port.postMessage(ask)

  port.onmessage = ({ data }: MessageEvent<BuiltInTell>) => {
    const call = waiting.get(data.id)
    if (call === undefined) return
    if (data.kind === 'chunk') return call.chunk?.(data.text)
    if (data.kind === 'progress') return call.progress?.(data.loaded)
    waiting.delete(data.id)
    if (data.kind === 'failed') call.reject(Object.assign(new Error(data.message), { name: data.name }))
    else call.resolve(data)
  }

  const call = <T>(
    make: (id: number) => BuiltInAsk,
    read: (told: BuiltInTell) => T,
    signal: AbortSignal | undefined,
    on: Pick<Waiting, 'chunk' | 'progress'> = {},
  ): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted()
      if (closed) throw gone()
      asked += 1
      const id = asked
      const abort = () => {
        post({ kind: 'cancel', id })
        waiting.delete(id)
        reject(signal?.reason)
      }
      const settled = () => signal?.removeEventListener('abort', abort)
      signal?.addEventListener('abort', abort, { once: true })
      waiting.set(id, {
        ...on,
        resolve(told) {
          settled()
          resolve(read(told))
        },
        reject(error) {
          settled()
          reject(error)
        },
      })
      post(make(id))
    })

  return {
    availability: (signal) =>
      call(
        (id) => ({ kind: 'about', id }),
        (told): Availability => (told.kind === 'about' ? told.availability : 'unavailable'),
        signal,
      ),
    ask: (prompts, on, signal) =>
      call(
        (id) => ({ kind: 'ask', id, ...prompts }),
        (told): BuiltInEnd => (told.kind === 'end' ? told : {}),
        signal,
        on,
      ),
    close() {
      closed = true
      port.close()
      for (const { reject } of waiting.values()) reject(gone())
      waiting.clear()
    },
  }
}

const gone = (): Error => Object.assign(new Error('The page has offered another one.'), { name: 'InvalidStateError' })

export type BuiltIn = {
  /** A later port takes the place of an earlier one. */
  offer(port: MessagePort): void
  /** Nothing before the page has offered its model. */
  choices(): readonly ModelChoice[]
}

const MODEL = 'built-in'

export const createBuiltIn = (llm: Scope['llm']): BuiltIn => {
  let current: PortModel | undefined
  return {
    offer(port) {
      if (current === undefined && !llm.providers().includes(PROVIDER)) {
        const adapter = lazyAdapter(async () => (await import('../../llm/adapters/prompt-api.ts')).promptApi({ model: () => current }))
        llm.registerAdapter([PROVIDER], adapter)
      }
      current?.close()
      current = portModel(port)
    },
    choices: () =>
      current === undefined
        ? []
        : [{ provider: PROVIDER, model: MODEL, label: 'Built-in model', detail: 'Of this browser. No key, no network once it is loaded.' }],
  }
}
