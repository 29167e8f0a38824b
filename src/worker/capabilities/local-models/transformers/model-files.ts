// Which files of an ONNX model's repository belong to one version of it, told by their names: the layout that transformers.js prescribes.
import type { Gpu } from './gpu.ts'

/** The ending of an ONNX file says how its numbers are written. */
const SUFFIXES = {
  q8: '_quantized',
  int8: '_int8',
  uint8: '_uint8',
  q4: '_q4',
  bnb4: '_bnb4',
  q4f16: '_q4f16',
  q2: '_q2',
  q2f16: '_q2f16',
  q1: '_q1',
  q1f16: '_q1f16',
  fp16: '_fp16',
  fp32: '',
} as const

/** How the numbers of a part are written. */
export type Dtype = keyof typeof SUFFIXES
const dtypes = Object.keys(SUFFIXES) as readonly Dtype[]

/** Before the others, which come in the order above: small first, and 16-bit numbers only where something computes with them. */
const PREFERRED: Readonly<Record<Gpu, readonly Dtype[]>> = { none: [], single: ['q4', 'bnb4'], half: ['q4f16', 'q4', 'bnb4'] }

const NEEDED = ['config.json', 'tokenizer.json', 'tokenizer_config.json']
const WELCOME = ['generation_config.json', 'chat_template.jinja']
/** A text model is one file, or the two that read text of one that sees and hears, too. */
const PARTS: readonly (readonly string[])[] = [['model'], ['embed_tokens', 'decoder_model_merged']]

const onnx = (part: string, dtype: Dtype): string => `onnx/${part}${SUFFIXES[dtype]}.onnx`
/** Weights beside an ONNX file that would be too large: `model.onnx_data`, `model.onnx_data_1` and so on. */
const isDataOf = (file: string, name: string): boolean => name.startsWith(`${file}_data`) && /^(_\d+)?$/.test(name.slice(file.length + 5))

/**
 * The files to give the engine, out of all that a repository has; `undefined` when it has no text model for transformers.js. `gpu`: what it
 * is to run on, by default anything. `dtype`: the version that is wanted; a part that lacks it comes in another.
 */
export const filesOfOnnxModel = (names: readonly string[], gpu: Gpu = 'none', dtype?: Dtype): readonly string[] | undefined => {
  const has = new Set(names)
  if (!NEEDED.every((name) => has.has(name))) return undefined
  const wanted = [...(dtype === undefined ? [] : [dtype]), ...PREFERRED[gpu], ...dtypes]
  for (const parts of PARTS) {
    const files = parts.flatMap((part) => wanted.map((each) => onnx(part, each)).find((file) => has.has(file)) ?? [])
    if (files.length < parts.length) continue
    const data = names.filter((name) => files.some((file) => isDataOf(file, name)))
    return [...NEEDED, ...WELCOME.filter((name) => has.has(name)), ...files, ...data.sort()]
  }
  return undefined
}

/** What transformers.js is to be told of files that it is given. */
export type GivenParts = {
  /** By part. */
  readonly dtype: Readonly<Record<string, Dtype>>
  /** By ONNX file: how many more files have its weights. */
  readonly use_external_data_format: Readonly<Record<string, number>>
}

/** Errors: words that say which file is missing. */
export const partsOf = (names: readonly string[]): GivenParts => {
  const missing = NEEDED.filter((name) => !names.includes(name))
  if (missing.length > 0) throw new Error(`of its files ${missing.join(', ')} is missing`)
  const dtype: Record<string, Dtype> = {}
  const data: Record<string, number> = {}
  for (const name of names) {
    const base = /^onnx\/(.+)\.onnx$/.exec(name)?.[1]
    if (base === undefined) continue
    const version = dtypes.find((each) => each !== 'fp32' && base.endsWith(SUFFIXES[each])) ?? 'fp32'
    dtype[base.slice(0, base.length - SUFFIXES[version].length)] ??= version
    data[name.slice('onnx/'.length)] = names.filter((other) => isDataOf(name, other)).length
  }
  if (Object.keys(dtype).length === 0) throw new Error('none of its files is an ONNX file, such as onnx/model_q4.onnx')
  return { dtype, use_external_data_format: data }
}
