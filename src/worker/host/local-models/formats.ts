// What differs between the formats of weights: how a file is known to be the right one, and what the files say of their model.
import { headerOf, readGgufHeader } from '../../capabilities/local-models/gguf-header.ts'
import { factsOfOnnxModel } from '../../capabilities/local-models/transformers/model-facts.ts'
import type { SavedModel, WeightsFormat } from './saved-models.ts'

export type FileFacts = Required<Pick<SavedModel, 'tools'>> & Pick<SavedModel, 'contextWindow'>

/** A file of the model by the name that its makers gave it. */
type OpenFile = (file: string) => Promise<Blob | undefined>

type FormatRules = {
  /** `start`: the first bytes of a file, at least four. Errors: words that complete "… cannot be used: …". */
  check(file: string, start: Uint8Array): void
  /** `first`: the model's first file. Errors: the same. */
  facts(open: OpenFile, first: string): Promise<FileFacts>
}

const gone = (): Error => new Error('a file of it is gone')

/** Engines tell tools to a model whose template tells them. */
const toolsOf = (chatTemplate: string | undefined): 'yes' | 'no' => (/\btools\b/.test(chatTemplate ?? '') ? 'yes' : 'no')

const factsOf = (said: { readonly contextLength?: number; readonly chatTemplate?: string }): FileFacts => ({
  ...(said.contextLength === undefined ? {} : { contextWindow: said.contextLength }),
  tools: toolsOf(said.chatTemplate),
})

const gguf: FormatRules = {
  check: (_file, start) => void readGgufHeader(start),
  async facts(open, first) {
    const file = await open(first)
    if (file === undefined) throw gone()
    return factsOf(await headerOf(file))
  },
}

const onnx: FormatRules = {
  check(file, start) {
    const text = new TextDecoder().decode(start.subarray(0, 24)).trimStart()
    if (text.startsWith('<') && !file.endsWith('.jinja')) throw new Error(`in the place of ${file} there is a web page`)
  },
  async facts(open) {
    const text = async (file: string) => (await open(file))?.text()
    const [config, tokenizer, template] = await Promise.all(['config.json', 'tokenizer_config.json', 'chat_template.jinja'].map(text))
    if (config === undefined || tokenizer === undefined) throw gone()
    return factsOf(factsOfOnnxModel(config, tokenizer, template))
  },
}

export const FORMATS: Readonly<Record<WeightsFormat, FormatRules>> = { gguf, onnx }
