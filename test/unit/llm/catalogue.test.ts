// The catalogue of models: whose prices it has, for whom, and of which day.
import { expect, test } from 'vitest'
import { lookUpModel } from '../../../src/worker/llm/catalogue.ts'
import { PRICE_LISTS } from '../../../src/worker/llm/known-models.ts'

test('W12 a model that is not known is no error', () => {
  expect(lookUpModel('my-own-model')).toBeUndefined()
  expect(lookUpModel('__proto__')).toBeUndefined()
  expect(lookUpModel('constructor')).toBeUndefined()
})

test('W12 every price has its day, and every list says where it was read', () => {
  for (const { asOf, seen, models } of PRICE_LISTS) {
    expect(asOf).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(seen).not.toBe('')
    for (const name of Object.keys(models)) expect(name).toBe(name.toLowerCase())
  }
  expect(lookUpModel('claude-haiku-4-5')?.prices).toEqual({ input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, asOf: '2026-09-22' })
})

test('W12 a newer list goes before an older one, and no model is in two', () => {
  const names = PRICE_LISTS.flatMap(({ models }) => Object.keys(models))
  expect(names.length).toBe(new Set(names).size)
})

test('W12 a dated name is its family; a gateway’s has the abilities and not the price', () => {
  expect(lookUpModel('gpt-4o-2024-08-06')).toEqual(lookUpModel('gpt-4o'))
  expect(lookUpModel('anthropic/claude-opus-4.6')).toMatchObject({ contextWindow: 1_000_000 })
  expect(lookUpModel('anthropic/claude-opus-4.6')).not.toHaveProperty('prices')
})

test('W12 the price is the vendor’s own, told by its host and not by what the host looks like', () => {
  expect(lookUpModel('gpt-4o', 'api.openai.com')).toHaveProperty('prices')
  expect(lookUpModel('gpt-4o', 'eu.api.openai.com')).toHaveProperty('prices')
  for (const host of ['localhost', 'notopenai.com', 'openai.com.example', 'api.deepseek.com']) {
    expect(lookUpModel('gpt-4o', host)).not.toHaveProperty('prices')
  }
})

test('W12 where the price depends on the hour, none is told', () => {
  expect(lookUpModel('deepseek-v4-flash', 'api.deepseek.com')).toMatchObject({ contextWindow: 1_000_000, efforts: ['low', 'high', 'max'] })
  expect(lookUpModel('deepseek-v4-flash', 'api.deepseek.com')).not.toHaveProperty('prices')
})
