// Looks for model servers on this computer, at the ports where the known ones listen. Only when a person asks for it.

import { readModels } from '../../llm/adapters/read-models.ts'
import type { LOCAL_SERVERS, LocalSearch, LocalServer, ProviderApi } from '../../protocol/providers.ts'
import type { Surroundings } from './surroundings.ts'
import { answersAtAll } from './why-unreachable.ts'

type Place = {
  readonly port: number
  readonly kind: (typeof LOCAL_SERVERS)[number]
  readonly api: ProviderApi
  /** What is asked, and the part of it that is the provider's address. */
  readonly list: string
  readonly base: string
}

const openai = (port: number, kind: Place['kind']): Place => ({ port, kind, api: 'openai-chat', list: '/v1/models', base: '/v1' })

/** The ports that these servers take when nobody tells them another one, by their own documentation. */
const USUAL: readonly Place[] = [
  { port: 11434, kind: 'ollama', api: 'ollama', list: '/api/tags', base: '' },
  openai(1234, 'lm-studio'),
  openai(8080, 'llama-cpp'),
  openai(8000, 'vllm'),
  openai(1337, 'other'), // Jan
  openai(5001, 'other'), // KoboldCpp
  openai(30000, 'other'), // SGLang
]

/** The second for servers that listen on IPv6 alone. */
const HOSTS = ['127.0.0.1', 'localhost'] as const
/** A port where nobody listens says so at once; a server that is there answers as fast. */
const PLACE_MS = 2500
/** While the browser asks the person whether this page may look, nothing is answered. */
const ASKING_MS = 30_000

type Found = LocalServer | undefined

/** One server at two of these ports, such as llama.cpp at that of vLLM, is told by who owns its models. */
const OWNERS: { readonly [owner: string]: Place['kind'] } = { llamacpp: 'llama-cpp', vllm: 'vllm', sglang: 'other' }

const ownerOf = (answer: unknown): Place['kind'] | undefined => {
  const data = typeof answer === 'object' && answer !== null && 'data' in answer && Array.isArray(answer.data) ? answer.data : []
  const owner: unknown = data[0]?.owned_by
  return typeof owner === 'string' && Object.hasOwn(OWNERS, owner) ? OWNERS[owner] : undefined
}

const lookAt = async (place: Place, host: string, here: Surroundings, signal: AbortSignal): Promise<Found> => {
  const origin = `http://${host}:${place.port}`
  const { api, kind } = place
  const baseUrl = `${origin}${place.base}`
  try {
    const response = await here.fetch(`${origin}${place.list}`, {
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      redirect: 'error',
      signal,
    })
    // A server that wants a key is one all the same; which models it has is told once there is a key.
    if (response.status === 401) return { kind, api, baseUrl, state: 'answers', models: [] }
    if (!response.ok) return undefined
    const answer: unknown = await response.json()
    return { kind: ownerOf(answer) ?? kind, api, baseUrl, state: 'answers', models: readModels(answer).map(({ id }) => id) }
  } catch (error) {
    // Readable, and no list of models: something else lives there.
    if (!(error instanceof TypeError) || signal.aborted) return undefined
    return (await answersAtAll(`${origin}${place.list}`, here, signal)) ? { kind, api, baseUrl, state: 'refuses', models: [] } : undefined
  }
}

/** Ends with the signal's reason when a person stops it; places that keep quiet are given up by themselves. */
export const findLocalServers = async (here: Surroundings, signal: AbortSignal): Promise<LocalSearch> => {
  const access = await here.localAccess()
  if (access === 'denied') return { servers: [], access }
  const search = async (place: Place): Promise<Found> => {
    for (const host of HOSTS) {
      const limit = AbortSignal.timeout(access === 'prompt' ? ASKING_MS : PLACE_MS)
      const found = await lookAt(place, host, here, AbortSignal.any([signal, limit]))
      signal.throwIfAborted()
      if (found !== undefined) return found
    }
    return undefined
  }
  const found = await Promise.all(USUAL.map(search))
  return { servers: found.filter((server) => server !== undefined), access: access === 'prompt' ? await here.localAccess() : access }
}
