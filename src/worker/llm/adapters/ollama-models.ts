// The models of an Ollama server: their names from one list, what each can do from a question about it.
import type { ListedModel, ModelInfo } from '../../../storage/log/model-info.ts'
import { isObject } from './listed-info.ts'
import { readModels } from './read-models.ts'
import { fetchJson, type ModelCall } from './stream-response.ts'
import type { VendorOptions } from './vendor-options.ts'

type CallTo = (method: ModelCall['method'], path: string) => Promise<ModelCall>

/** So many are asked about, a few at a time: the server is somebody's computer. The others are listed by name alone. */
const ASKED_ABOUT = 40
const AT_ONCE = 4

export const listOllamaModels = async (callTo: CallTo, options: VendorOptions, signal: AbortSignal): Promise<readonly ListedModel[]> => {
  const listed = readModels(await fetchJson(await callTo('GET', '/api/tags'), options, signal), options)
  const waiting = listed.slice(0, ASKED_ABOUT)
  const answers = new Map<string, unknown>()
  const askOn = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const call = { ...(await callTo('POST', '/api/show')), body: JSON.stringify({ model: next.id }) }
      // A model that cannot be described can still be used.
      const answer = await fetchJson(call, options, signal).catch(() => undefined)
      signal.throwIfAborted()
      answers.set(next.id, answer)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, askOn))
  return listed.flatMap((model): readonly ListedModel[] => {
    const answer = answers.get(model.id)
    if (!isObject(answer)) return [model]
    const abilities = Array.isArray(answer.capabilities) ? answer.capabilities : undefined
    if (abilities !== undefined && !abilities.includes('completion')) return [] // only makes embeddings
    return [{ ...model, info: infoOf(model.id, answer, abilities) }]
  })
}

const infoOf = (id: string, answer: { readonly [key: string]: unknown }, abilities: readonly unknown[] | undefined): ModelInfo => {
  const contextWindow = windowOf(answer)
  const switches = /gpt-oss/.test(id) ? ['low', 'medium', 'high'] : ['off', 'on']
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(abilities === undefined
      ? {}
      : {
          tools: abilities.includes('tools'),
          images: abilities.includes('vision'),
          efforts: abilities.includes('thinking') ? switches : [],
        }),
  }
}

/** `num_ctx` if its Modelfile sets one, else what the model could read; the server may be set to less, which it does not tell here. */
const windowOf = ({ parameters, model_info: about }: { readonly [key: string]: unknown }): number | undefined => {
  const set = typeof parameters === 'string' ? /^num_ctx\s+(\d+)/m.exec(parameters)?.[1] : undefined
  if (set !== undefined) return Number(set)
  const most = isObject(about) ? Object.entries(about).find(([name]) => name.endsWith('.context_length'))?.[1] : undefined
  return typeof most === 'number' && most > 0 ? most : undefined
}
