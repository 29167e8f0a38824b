// Any body whatever, for every vendor's reader (W1): pieces of real cases put together anyhow, with damage. It never throws, it ends once,
// and the chunks are the same however the bytes are cut.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { Vendor } from '../../cases/vendors/vendor.ts'
import { VENDORS } from '../../cases/vendors.ts'
import { TOOLS } from './chat-events.ts'

const FOLDER = fileURLToPath(new URL('../../cases/wire/', import.meta.url))
const bodies = (api: string): readonly Buffer[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.expected.json'))
    .map((name) => JSON.parse(readFileSync(FOLDER + name, 'utf8')))
    .filter((expected) => expected.api === api)
    .map((expected) => readFileSync(FOLDER + expected.file))

const read = (vendor: Vendor, pieces: readonly Uint8Array[]): readonly Chunk[] => {
  const chunks: Chunk[] = []
  let made = 0
  const reader = vendor.reader({ tools: TOOLS, newId: () => `made-${++made}` }, (chunk) => chunks.push(chunk))
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return chunks
}
const cutAt = (bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] => {
  const edges = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  return edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge))
}
/** Lines, so that many of them are events still; and damage in the middle of them. */
const anyBody = (api: string): fc.Arbitrary<Uint8Array> => {
  const known = bodies(api)
  const lines = known.flatMap((body) => body.toString('latin1').split(/(?<=\n)/))
  const line = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...lines) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...lines), fc.nat(200)).map(([text, at]) => text.slice(0, at)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '\n',
        '\r\n',
        'null\n',
        '[]\n',
        'data: null\n\n',
        'data: 1\n\n',
        '\xef\xbb\xbf',
        '{}\n',
        'data: {}\n\n',
        ']\n',
      ),
    },
  )
  return fc.array(line, { maxLength: 12 }).map((picked) => Buffer.from(picked.join(''), 'latin1'))
}

describe.each(VENDORS.map((vendor) => [vendor.api, vendor] as const))('any body for %s', (api, vendor) => {
  test('W1 it never throws, ends once, and is read the same at every cut', { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(anyBody(api), fc.array(fc.nat(5000), { maxLength: 12 }), (body, cuts) => {
        const whole = read(vendor, [body])
        expect(whole.filter(({ type }) => type === 'finish')).toHaveLength(1)
        expect(whole.at(-1)?.type).toBe('finish')
        expect(read(vendor, cutAt(body, cuts))).toEqual(whole)
      }),
      { numRuns: 400 },
    )
  })

  test('W1 a case that is cut anywhere keeps what had come, and no cut call is ever whole', { timeout: 30_000 }, () => {
    const wrong: string[] = []
    for (const body of bodies(api)) {
      const whole = new Map(callsIn(read(vendor, [body])))
      for (let at = 0; at < body.length; at += Math.max(1, Math.floor(body.length / 60))) {
        const chunks = read(vendor, [body.subarray(0, at)])
        const wasCut = chunks.some((chunk) => chunk.type === 'finish' && chunk.reason.kind === 'error')
        for (const [index, text] of callsIn(chunks)) {
          // Nothing yet, where another call has begun (0021), or one whole object; two glued ones may be cut between them.
          const isWhole = text.trim() === '' || !wasCut || isJson(text)
          if (!isWhole || whole.get(index)?.startsWith(text) !== true) wrong.push(`at ${at}: ${text}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })
})

const callsIn = (chunks: readonly Chunk[]): readonly (readonly [number, string])[] =>
  chunks.flatMap((chunk) =>
    chunk.type === 'block-end' && chunk.block.type === 'tool-call' ? [[chunk.index, chunk.block.arguments] as const] : [],
  )

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // cut
  }
}
