// What the small files of an ONNX model say of it, whoever wrote them.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { factsOfOnnxModel } from '../../../src/worker/capabilities/local-models/transformers/model-facts.ts'

const llama = { model_type: 'llama', max_position_embeddings: 8192 }
const facts = (config: object, tokenizer: object = {}, template?: string) =>
  factsOfOnnxModel(JSON.stringify(config), JSON.stringify(tokenizer), template)

describe('W15 what an ONNX model says of itself', () => {
  test('its kind, its window and its template', () => {
    expect(facts(llama, { chat_template: '{{ tools }}' })).toEqual({
      architecture: 'llama',
      contextLength: 8192,
      chatTemplate: '{{ tools }}',
    })
    expect(facts({ model_type: 'gpt2', n_positions: 1024 })).toEqual({ architecture: 'gpt2', contextLength: 1024 })
  })

  test('the window of the part that reads text, where a model has several', () => {
    expect(facts({ model_type: 'gemma3n', text_config: { max_position_embeddings: 32768 } }).contextLength).toBe(32768)
  })

  test('a template in a file of its own goes before the other, and of several all are read', () => {
    expect(facts(llama, { chat_template: 'old' }, 'new').chatTemplate).toBe('new')
    const several = [
      { name: 'default', template: 'plain' },
      { name: 'tool_use', template: '{{ tools }}' },
    ]
    expect(facts(llama, { chat_template: several }).chatTemplate).toBe('plain\n{{ tools }}')
  })

  test.each([
    ['a web page', '<!doctype html>', 'its config.json is not a JSON object'],
    ['a list', '[]', 'its config.json is not a JSON object'],
    ['something else', '{"name":"x"}', 'its config.json names no kind of model'],
  ])('%s under the name of a configuration is said', (_what, config, words) => {
    expect(() => factsOfOnnxModel(config, '{}')).toThrow(words)
  })

  test('any JSON is read or refused with words', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (config, tokenizer) => {
        try {
          expect(typeof factsOfOnnxModel(config, tokenizer).architecture).toBe('string')
        } catch (error) {
          expect(error).toMatchObject({ message: expect.stringMatching(/^its \S+ (is not|names no)/) })
        }
      }),
    )
  })
})
