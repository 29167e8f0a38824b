// The head of GGUF files: of whole ones, of any part of one, of everything that is none.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headerOf, MORE, readGgufHeader } from '../../../src/worker/capabilities/local-models/gguf-header.ts'
import { TINY_TEMPLATE, tinyGguf } from '../../kit/tiny-gguf.ts'

const file = tinyGguf({ reply: ['Hello'], contextLength: 2048, name: 'tiny one' })
const HEADER = { architecture: 'llama', name: 'tiny one', contextLength: 2048, chatTemplate: TINY_TEMPLATE }

test('W15 it says what the model is called, what it was trained for and what it can be told', () => {
  expect(readGgufHeader(file)).toEqual(HEADER)
})

test('W15 any beginning of a file is read whole, or asks for more', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: file.length }), (cut) => {
      const read = readGgufHeader(file.subarray(0, cut))
      if (read !== MORE) expect(read).toEqual(HEADER)
    }),
  )
  expect(readGgufHeader(file.subarray(0, 5000))).toBe(MORE)
})

test('W15 whatever is behind the first letters, it is read, refused with words or asks for more, and soon', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (rest) => {
      const bytes = Uint8Array.of(...file.subarray(0, 8), ...rest)
      try {
        readGgufHeader(bytes)
      } catch (error) {
        expect((error as Error).message).toMatch(/damaged|version/)
      }
    }),
    { numRuns: 2000 },
  )
})

test('W15 numbers that would take for ever are refused', () => {
  const bytes = file.slice(0, 64)
  new DataView(bytes.buffer).setBigUint64(16, 2n ** 60n, true)
  expect(() => readGgufHeader(bytes)).toThrow('damaged')
})

test.each([
  ['<!DOCTYPE html><title>Sign in</title>', 'a web page'],
  ['  <html>', 'a web page'],
  ['version https://git-lfs.github.com/spec/v1', 'no GGUF file'],
])('W15 a file that begins with %s is %s', (text, words) => {
  expect(() => readGgufHeader(new TextEncoder().encode(text))).toThrow(words)
})

test('W15 a file in one piece is read from its start; one that is cut off is said to be', async () => {
  expect(await headerOf(new Blob([file]))).toEqual(HEADER)
  await expect(headerOf(new Blob([file.slice(0, 5000)]))).rejects.toThrow('cut off')
})

test('W15 a version that nobody knows yet is named', () => {
  const bytes = file.slice(0, 64)
  bytes[4] = 9
  expect(() => readGgufHeader(bytes)).toThrow('version 9')
})
