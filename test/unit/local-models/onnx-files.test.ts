// Which files of a repository make an ONNX model, and what transformers.js is told of those it is given.
import { describe, expect, test } from 'vitest'
import type { Gpu } from '../../../src/worker/capabilities/local-models/transformers/gpu.ts'
import { filesOfOnnxModel, partsOf } from '../../../src/worker/capabilities/local-models/transformers/model-files.ts'

const TEXTS = ['config.json', 'tokenizer.json', 'tokenizer_config.json']
const repository = [
  '.gitattributes',
  'README.md',
  ...TEXTS,
  'generation_config.json',
  'special_tokens_map.json',
  'onnx/model.onnx',
  'onnx/model.onnx_data',
  'onnx/model.onnx_data_1',
  'onnx/model_fp16.onnx',
  'onnx/model_q4.onnx',
  'onnx/model_q4.onnx_data',
  'onnx/model_q4f16.onnx',
  'onnx/model_quantized.onnx',
]

describe('W15 the files of an ONNX model', () => {
  test('of all versions a small one is taken that what is there computes with, and all that belongs to it', () => {
    const filesFor = (gpu: Gpu) => filesOfOnnxModel(repository, gpu)?.slice(4)
    expect(filesOfOnnxModel(repository)).toEqual([...TEXTS, 'generation_config.json', 'onnx/model_quantized.onnx'])
    expect(filesFor('none')).toEqual(['onnx/model_quantized.onnx'])
    expect(filesFor('single')).toEqual(['onnx/model_q4.onnx', 'onnx/model_q4.onnx_data'])
    expect(filesFor('half')).toEqual(['onnx/model_q4f16.onnx'])
  })

  test('a version that is asked for comes with its weights beside it', () => {
    const data = ['onnx/model.onnx_data', 'onnx/model.onnx_data_1']
    expect(filesOfOnnxModel(repository, 'half', 'fp32')?.slice(4)).toEqual(['onnx/model.onnx', ...data])
  })

  test('a template in a file of its own comes along', () => {
    expect(filesOfOnnxModel([...repository, 'chat_template.jinja'])).toContain('chat_template.jinja')
  })

  test('of a model that sees and hears, the parts that read text are taken, each in the version that it has', () => {
    const parts = ['onnx/embed_tokens_quantized.onnx', 'onnx/decoder_model_merged_q4.onnx', 'onnx/vision_encoder_q4.onnx']
    expect(filesOfOnnxModel([...TEXTS, ...parts])).toEqual([...TEXTS, ...parts.slice(0, 2)])
    expect(partsOf([...TEXTS, ...parts.slice(0, 2)]).dtype).toEqual({ embed_tokens: 'q8', decoder_model_merged: 'q4' })
  })

  test.each([
    ['a GGUF file', ['model.gguf', 'config.json']],
    ['nothing that splits text into tokens', [...TEXTS.slice(0, 2), 'onnx/model_q4.onnx']],
    ['weights for Python only', [...TEXTS, 'model.safetensors']],
    ['a part of a model only', [...TEXTS, 'onnx/embed_tokens.onnx']],
    ['nothing', []],
  ])('a repository with %s has no model for this engine', (_what, names) => expect(filesOfOnnxModel(names)).toBeUndefined())

  test('the package is told the version of each part, and how many files its weights are in', () => {
    expect(partsOf(filesOfOnnxModel(repository, 'none', 'fp32') ?? [])).toEqual({
      dtype: { model: 'fp32' },
      use_external_data_format: { 'model.onnx': 2 },
    })
  })

  test('what is missing is named', () => {
    expect(() => partsOf(['config.json', 'onnx/model.onnx'])).toThrow('tokenizer.json, tokenizer_config.json is missing')
    expect(() => partsOf(TEXTS)).toThrow('none of its files is an ONNX file')
  })
})
