// The models that the application offers for this tab: small enough for a browser, under a licence that lets everybody use them.
import type { SavedModel } from './saved-models.ts'
import { partsIn, partsOf } from './weights-source.ts'

/**
 * `url`: of a GGUF file, of a model in parts that of the first; with `files`, the names of an ONNX model's files, that of the folder they
 * are in. `megabytes`: of all of it, as far as known; what the server says replaces that.
 */
export type OfferedModel = {
  readonly id: string
  readonly label: string
  readonly detail?: string
  readonly url: string
  readonly files?: readonly string[]
  readonly megabytes?: number
}

export const toOffer = ({ id, label, detail, url, files, megabytes }: OfferedModel): SavedModel => {
  const parts = files === undefined ? partsOf(url) : partsIn(url, files)
  const bytes = megabytes === undefined ? {} : { bytes: Math.round((megabytes * 1_000_000) / parts.length) }
  return {
    id,
    label,
    origin: 'offered',
    parts: parts.map((part) => ({ ...part, ...bytes })),
    ...(files === undefined ? {} : { format: 'onnx' }),
    ...(detail === undefined ? {} : { detail }),
  }
}

/** Sizes: as the makers' repositories show them, looked up in November 2026. All three: Apache 2.0. */
const OFFERED: readonly OfferedModel[] = [
  {
    id: 'smollm2-360m-instruct',
    label: 'SmolLM2 360M',
    detail: 'Quick to load, for short conversations. No tools.',
    url: 'https://huggingface.co/ngxson/SmolLM2-360M-Instruct-Q8_0-GGUF/resolve/main/smollm2-360m-instruct-q8_0.gguf',
    megabytes: 386,
  },
  {
    id: 'qwen3-0.6b',
    label: 'Qwen3 0.6B',
    detail: 'Thinks before it answers, and can use tools.',
    url: 'https://huggingface.co/Qwen/Qwen3-0.6B-GGUF/resolve/main/Qwen3-0.6B-Q8_0.gguf',
    megabytes: 639,
  },
  {
    id: 'qwen2.5-1.5b-instruct',
    label: 'Qwen2.5 1.5B',
    detail: 'The most able of these, and the slowest. Can use tools.',
    url: 'https://huggingface.co/Qwen/Qwen2.5-1.5B-Instruct-GGUF/resolve/main/qwen2.5-1.5b-instruct-q4_k_m.gguf',
    megabytes: 1120,
  },
]

export const offeredModels = (): readonly SavedModel[] => OFFERED.map(toOffer)
