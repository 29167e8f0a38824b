// A download piece by piece: what comes is kept, the next try goes on from it, and nothing else is ever taken for the file.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { downloadWeights, type WeightsAddress } from '../../../src/worker/capabilities/local-models/download.ts'
import { gate, orAbort } from '../../kit/gate.ts'
import { memoryWeights } from '../../kit/memory-weights.ts'
import { type Answer, fileServer } from './file-server.ts'

const BYTES = Uint8Array.from({ length: 1000 }, (_, i) => (i < 4 ? (0x47_47_55_46 >>> (24 - 8 * i)) & 255 : i % 251))
const never = new AbortController().signal

const world = (...answers: readonly Answer[]) => {
  const weights = memoryWeights()
  const server = fileServer(...answers)
  const waited: number[] = []
  const received: number[] = []
  const facts: object[] = []
  const quiet = gate()
  const download = (address: Partial<WeightsAddress> = {}, signal = never, check: (start: Uint8Array) => void = () => {}) =>
    downloadWeights(
      { name: 'w', url: 'https://models.example/a.gguf', ...address },
      {
        weights,
        fetch: server.fetch,
        async wait(ms, waiting) {
          if (ms < 60_000) waited.push(ms)
          else await orAbort(quiet.opened, waiting).catch(() => {})
        },
        explain: async () => 'That site lets no page read it.',
      },
      { begun: (told) => void facts.push(told), received: (bytes) => void received.push(bytes), check },
      signal,
    )
  return { quiet, weights, server, waited, received, facts, download, kept: () => weights.files.get('w') }
}

describe('W15 downloading weights', () => {
  test('a file comes in pieces, with its size and how far it is', async () => {
    const { download, kept, received, facts } = world({ bytes: BYTES, etag: '"1"' })
    expect(await download()).toBe(1000)
    expect(kept()).toEqual(BYTES)
    expect(received.at(0)).toBe(64)
    expect(received.at(-1)).toBe(1000)
    expect(facts).toEqual([{ bytes: 1000, etag: '"1"' }])
  })

  test('one that breaks goes on from where it was, after a pause', async () => {
    const { download, kept, server, waited } = world({ bytes: BYTES, breakAfter: 300 }, { bytes: BYTES, breakAfter: 200 }, { bytes: BYTES })
    await download()
    expect(kept()).toEqual(BYTES)
    expect(server.asked).toEqual(['', 'bytes=300-', 'bytes=500-'])
    expect(waited).toEqual([500, 500])
  })

  test('what an earlier try left is not asked for again', async () => {
    const { download, kept, server, weights } = world({ bytes: BYTES, etag: '"1"' })
    const writer = await weights.write('w')
    writer.append(BYTES.slice(0, 600))
    writer.close()
    await download({ etag: '"1"', bytes: 1000 })
    expect(kept()).toEqual(BYTES)
    expect(server.asked).toEqual(['bytes=600-'])
  })

  test('a file that is whole already takes one question', async () => {
    const { download, kept, server, weights } = world({ bytes: BYTES })
    const writer = await weights.write('w')
    writer.append(BYTES)
    writer.close()
    expect(await download()).toBe(1000)
    expect(kept()).toEqual(BYTES)
    expect(server.asked).toEqual(['bytes=1000-'])
  })

  test.each([
    ['has another tag', { etag: '"2"' }, { etag: '"1"', bytes: 1000 }],
    ['has another size', {}, { bytes: 4000 }],
  ])('a file that %s meanwhile begins anew', async (_what, now, before) => {
    const { download, kept, server, weights } = world({ bytes: BYTES, ...now })
    const writer = await weights.write('w')
    writer.append(Uint8Array.from({ length: 600 }, () => 1))
    writer.close()
    await download(before)
    expect(kept()).toEqual(BYTES)
    expect(server.asked).toEqual(['bytes=600-', ''])
  })

  test('a server that knows no parts sends it whole', async () => {
    const { download, kept } = world({ bytes: BYTES, breakAfter: 300 }, { bytes: BYTES, noRanges: true })
    await download()
    expect(kept()).toEqual(BYTES)
  })

  test('a server that does not show its ranges to pages is gone on with by the size that it told at first', async () => {
    const { download, kept } = world({ bytes: BYTES, breakAfter: 300 }, { bytes: BYTES, hidesRange: true })
    await download()
    expect(kept()).toEqual(BYTES)
  })

  test('a file of another size is not gone on with, also where a site shows neither its tag nor its range', async () => {
    const other = Uint8Array.from({ length: 700 }, (_, i) => i % 13)
    const { download, kept, server } = world({ bytes: BYTES, breakAfter: 300 }, { bytes: other, hidesRange: true, showsLength: true })
    await download()
    expect(kept()).toEqual(other)
    expect(server.asked).toEqual(['', 'bytes=300-', ''])
  })

  test('an answer that was packed on its way has another length than the file: its end is the end of the file', async () => {
    const longer = new Response(BYTES, { headers: { 'content-length': '400' } })
    const { download, kept, facts, server } = world(longer)
    expect(await download()).toBe(1000)
    expect(kept()).toEqual(BYTES)
    expect(facts).toEqual([{ bytes: 400 }, {}])
    const shorter = world(new Response(BYTES, { headers: { 'content-length': '1030' } }))
    expect(await shorter.download()).toBe(1000)
    expect([...server.asked, ...shorter.server.asked]).toEqual(['', ''])
  })

  test('W11 a connection that is silent is given up, and gone on with', async () => {
    const silent = new Response(new ReadableStream({ start: (controller) => controller.enqueue(BYTES.slice(0, 100)) }))
    const { download, kept, quiet, server, received } = world(silent, { bytes: BYTES })
    const downloading = download()
    await expect.poll(() => received).toEqual([100])
    quiet.open()
    await downloading
    expect(kept()).toEqual(BYTES)
    expect(server.asked).toEqual(['', 'bytes=100-'])
  })

  test('a tag that is as long as a page is none', async () => {
    const { download, facts } = world({ bytes: BYTES, etag: `"${'x'.repeat(400)}"` })
    await download()
    expect(facts).toEqual([{ bytes: 1000 }])
  })

  test('without any length the end of the connection is the end of the file', async () => {
    const { download, facts } = world({ bytes: BYTES, noLength: true })
    expect(await download()).toBe(1000)
    expect(facts).toEqual([{}])
  })

  test('for any places where connections break, the file is the same in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 300 }),
        async (breaks, pieces) => {
          const { download, kept } = world(...breaks.map((breakAfter) => ({ bytes: BYTES, breakAfter, pieces })), { bytes: BYTES, pieces })
          await download()
          expect(kept()).toEqual(BYTES)
        },
      ),
    )
  })

  test('it is given up after five tries in a row that bring nothing, and says what to do', async () => {
    const { download, kept, server, waited } = world({ bytes: BYTES, breakAfter: 300 }, 'refused')
    await expect(download()).rejects.toMatchObject({
      code: 'model/failed',
      message: expect.stringMatching(/models\.example: That site lets no page read it\. .*kept; try again/),
    })
    expect(server.asked).toHaveLength(6)
    expect(waited).toEqual([500, 500, 1000, 2000, 4000])
    expect(kept()).toHaveLength(300)
  })

  test('a busy server is asked again', async () => {
    const { download, server } = world(new Response('slow down', { status: 429 }), new Response('', { status: 503 }), { bytes: BYTES })
    await download()
    expect(server.asked).toHaveLength(3)
  })

  test.each([
    [401, 'a sign-in'],
    [403, 'a sign-in'],
    [404, 'no file at this address'],
    [400, 'status 400'],
  ])('status %i is an answer: %s', async (status, words) => {
    const { download, server } = world(new Response('no', { status }))
    await expect(download()).rejects.toMatchObject({ code: 'model/failed', message: expect.stringContaining(words) })
    expect(server.asked).toHaveLength(1)
  })

  test('the first bytes decide whether it is the right file, before anything is kept', async () => {
    const { download, kept } = world({ bytes: new TextEncoder().encode('<!doctype html>'), pieces: 1 })
    const starts: string[] = []
    const check = (start: Uint8Array) => {
      starts.push(new TextDecoder().decode(start))
      throw new Error('a web page')
    }
    await expect(download({}, never, check)).rejects.toThrow('a web page')
    expect(starts).toEqual(['<!do'])
    expect(kept()).toHaveLength(0)
  })

  test('a file of two bytes is a file', async () => {
    const { download, kept } = world({ bytes: BYTES.slice(0, 2) })
    expect(await download()).toBe(2)
    expect(kept()).toEqual(BYTES.slice(0, 2))
  })

  test('a stop keeps what came and lets the next writer in', async () => {
    const { download, weights, kept } = world({ bytes: BYTES })
    const stop = new AbortController()
    const check = () => stop.abort(new Error('stopped'))
    await expect(download({}, stop.signal, check)).rejects.toThrow('stopped')
    expect(kept()?.length).toBeLessThan(1000)
    ;(await weights.write('w')).close()
  })

  test('S4 a full disk ends it with its own words; what came before stays', async () => {
    const { download, weights, kept } = world({ bytes: BYTES })
    weights.limit(500)
    await expect(download()).rejects.toMatchObject({ code: 'storage/quota' })
    expect(kept()).toHaveLength(448)
  })

  test('while another tab downloads the file it is refused', async () => {
    const { download, weights } = world({ bytes: BYTES })
    await weights.write('w')
    await expect(download()).rejects.toMatchObject({ code: 'storage/conflict' })
  })
})
