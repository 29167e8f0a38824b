// A server's list of models, in the forms that servers give it.
import type { ListedModel } from '../../../storage/log/model-info.ts'
import { modelCallError } from '../model-call-error.ts'
import { infoOf, isObject, type ListEntry } from './listed-info.ts'
import type { Transport } from './stream-response.ts'

export type { ListedModel } from '../../../storage/log/model-info.ts'

/**
 * `{data: [{id}]}` as OpenAI and Anthropic have it, `{models: [{name}]}` as Gemini and Ollama, or a bare list as others do, with what
 * each entry says of its model. What cannot chat is left out, as far as the list tells. What is no list is an error.
 */
export const readModels = (answer: unknown, { now = Date.now }: Pick<Transport, 'now'> = {}): readonly ListedModel[] => {
  const list = Array.isArray(answer) ? answer : isObject(answer) ? (answer.data ?? answer.models) : undefined
  if (!Array.isArray(list)) {
    throw modelCallError({
      class: 'protocol',
      code: 'no-model-list',
      transient: false,
      message: 'The server has no list of models at this address. Check the base URL, or type the name of the model.',
    })
  }
  const asOf = new Date(now()).toISOString().slice(0, 10)
  return list.flatMap((entry): readonly ListedModel[] => {
    if (typeof entry === 'string') return [{ id: entry }]
    if (!isObject(entry)) return []
    const given = entry.id ?? entry.name ?? entry.model
    if (typeof given !== 'string' || given === '') return []
    const id = given.replace(/^models\//, '') // as Gemini names them
    if (!chats(entry, id)) return []
    const name = entry.display_name ?? entry.displayName ?? entry.name
    const info = infoOf(entry, asOf)
    return [
      {
        id,
        ...(typeof name === 'string' && name !== given ? { name } : {}),
        ...(Object.keys(info).length === 0 ? {} : { info }),
      },
    ]
  })
}

/** OpenAI's list, and those of most local servers, hold names only: what these words are in does something else. */
const OTHER_THINGS =
  /(^|[-_/.:])(embed(ding|dings|der)?|tts|whisper|dall-e|moderation|transcribe|rerank(er)?|realtime|image|sora|ocr|audio|davinci|babbage|imagen|veo|lyria|bge)([-_/.:\d]|$)/i

/** Together says `chat`, LM Studio `llm` and `vlm`, Anthropic `model`. */
const OTHER_TYPES = ['embedding', 'embeddings', 'image', 'audio', 'video', 'moderation', 'rerank', 'transcribe']

const chats = (entry: ListEntry, id: string): boolean => {
  const { capabilities, architecture, supportedGenerationMethods: methods, type } = entry
  if (entry.active === false || entry.supports_chat === false) return false // Groq; Fireworks
  if (typeof type === 'string' && OTHER_TYPES.includes(type)) return false
  if (isObject(capabilities) && typeof capabilities.completion_chat === 'boolean') return capabilities.completion_chat // Mistral
  if (isObject(architecture) && Array.isArray(architecture.output_modalities)) return architecture.output_modalities.includes('text') // OpenRouter
  if (Array.isArray(methods) && !methods.includes('generateContent')) return false // Gemini
  return !OTHER_THINGS.test(id)
}
