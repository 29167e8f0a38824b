// What a model has read and said is kept, because the next prompt mostly goes on from it. A long prompt is read part by part: then it is
// heard how far it is and that it is to stop, and what the model computes for every token of a part has to fit into memory.
import type { DynamicCache, PreTrainedModel, Tensor } from '@huggingface/transformers'

/** What the tokenizer makes of a text: one row. */
export type TokenizedText = { readonly input_ids: Tensor; readonly attention_mask: Tensor }
export type GenerateOptions = Omit<Parameters<PreTrainedModel['generate']>[0], 'past_key_values' | 'return_dict_in_generate'>

export type Conversation = {
  /** Reads the text, goes on from it and resolves when that is over; not at all when it is aborted before. `read`: tokens so far. */
  goOn(text: TokenizedText, options: GenerateOptions, read: (tokens: number) => void, signal: AbortSignal): Promise<void>
}

/** Tokens. Some seconds on a slow machine, which is how long a stop may take. */
const PART = 128

/** Keys and values of attention can be gone on from anywhere; the other memories of models, and models of several parts, cannot. */
const mayGoOn = (model: PreTrainedModel): boolean => {
  const sessions: Readonly<Record<string, { readonly inputNames: readonly string[] }>> = model.sessions
  const names = sessions.model?.inputNames ?? []
  const memories = names.filter((name) => name.startsWith('past_'))
  return Object.keys(sessions).length === 1 && memories.length > 0 && memories.every((name) => name.startsWith('past_key_values.'))
}

const tokensOf = (row: Tensor): bigint[] => row.tolist()[0]
const beginsWith = (all: readonly bigint[], start: readonly bigint[]): boolean => start.every((token, place) => token === all[place])

export const conversationWith = (model: PreTrainedModel): Conversation => {
  const goesOn = mayGoOn(model)
  let known: readonly bigint[] = []
  let cache: DynamicCache | undefined

  const forget = async (): Promise<void> => {
    known = []
    await cache?.dispose()
    cache = undefined
  }

  const generate = async (text: TokenizedText, options: GenerateOptions): Promise<void> => {
    const past = cache === undefined ? {} : { past_key_values: cache }
    const said = await model.generate({ ...text, ...options, ...past, return_dict_in_generate: true })
    const { sequences, past_key_values } = said as { readonly sequences: Tensor; readonly past_key_values: DynamicCache }
    cache = past_key_values
    // Nothing was computed for the last token: it was said, and not read.
    known = tokensOf(sequences).slice(0, -1)
  }

  return {
    async goOn({ input_ids: tokens, attention_mask: mask }, options, read, signal) {
      const all = tokensOf(tokens)
      if (!goesOn || known.length >= all.length || !beginsWith(all, known)) await forget()
      read(known.length)
      while (goesOn && all.length - known.length > PART && !signal.aborted) {
        const part = [0, known.length + PART]
        await generate({ input_ids: tokens.slice(null, part), attention_mask: mask.slice(null, part) }, { max_new_tokens: 1 })
        read(known.length)
      }
      if (!signal.aborted) await generate({ input_ids: tokens, attention_mask: mask }, options)
    },
  }
}
