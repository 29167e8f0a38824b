// What comes before every call, whatever its vendor: the key checked, the effort known, pictures read, the reader's context.
import type { ImageBlock, Message } from '../../../storage/log/content.ts'
import type { LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { modelCallError } from '../model-call-error.ts'
import type { ReaderContext } from '../wire/reply-reader.ts'
import { writesTags } from '../wire/tagged-thinking.ts'
import { readPictures } from './read-pictures.ts'
import type { ModelCall } from './stream-response.ts'
import type { VendorOptions } from './vendor-options.ts'

/** '' for a server that wants none. Checked here, because fetch would quote it in what it throws. */
const readKey = async ({ key: given }: VendorOptions): Promise<string> => {
  const key = (typeof given === 'function' ? await given() : given)?.trim() ?? ''
  if (!/^[\x21-\x7e]*$/.test(key)) throw modelCallError(BROKEN_KEY)
  return key
}

const BROKEN_KEY = {
  class: 'auth',
  transient: false,
  message:
    'The key holds characters that no key has, such as a blank or a line break. Copy it again and save it in the settings of this provider.',
} as const

/** The vendor's own headers and nothing else: each one more can fail a browser's preflight. `keyHeaders` is asked only if there is a key. */
export const modelCall = async (
  options: VendorOptions,
  method: ModelCall['method'],
  url: string,
  keyHeaders: (key: string) => ModelCall['headers'],
  headers: ModelCall['headers'] = {},
): Promise<ModelCall> => {
  const key = await readKey(options)
  return {
    url,
    method,
    headers: {
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...headers,
      ...(key === '' ? {} : keyHeaders(key)),
    },
    ...(key === '' ? {} : { secret: key }),
  }
}

/** The base of a server's addresses; a person may have given that of the endpoint itself. */
export const baseUrlOf = (given: string, endpoint: RegExp): string => given.trim().replace(/\/+$/, '').replace(endpoint, '')

/** W13: before the request, because servers word it badly or ignore it. */
export const refuseUnknownEffort = ({ effort, model }: LlmRequest, { efforts }: ModelInfo): void => {
  if (effort === undefined || efforts === undefined || efforts.includes(effort)) return
  const has = efforts.length === 0 ? 'It has none: leave it out.' : `It has: ${efforts.join(', ')}.`
  throw modelCallError({ class: 'provider', transient: false, message: `The model ${model} has no effort level "${effort}". ${has}` })
}

/** Looks pictures up as data URLs; none for a model that cannot see. */
export const picturesOf = async (
  { readBlob }: VendorOptions,
  request: LlmRequest,
  known: ModelInfo,
): Promise<(block: ImageBlock) => string | undefined> => {
  const pictures = await readPictures(request.messages, known.images === false ? undefined : readBlob)
  return (block) => pictures.get(block.blob)
}

export const readerContext = async (options: VendorOptions, request: LlmRequest, known: ModelInfo): Promise<ReaderContext> => ({
  newId: options.newId ?? randomId,
  takenIds: callIds(request.messages),
  ...(request.tools === undefined ? {} : { tools: request.tools }),
  ...(writesTags(request.model) ? { taggedThinking: true } : {}),
  ...(known.textCalls === true ? { textCalls: (await import('../wire/text-calls/find-calls.ts')).textCalls } : {}),
})

const randomId = (): string => `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`

const callIds = (messages: readonly Message[]): ReadonlySet<string> =>
  new Set(messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))))
