// Session files that are damaged, cut, foreign or made to do harm (S12): each is refused in plain words, and nothing of it is there.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { headerLine } from '../../../src/storage/log/session-file.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { createZip } from '../../../src/worker/host/copies/write-zip.ts'
import { expectCode } from '../../contract/expect-code.ts'
import { logOf } from '../../contract/session-samples.ts'
import { text, toolCall } from '../../kit/replies.ts'
import { copiesWorld } from './copies-world.ts'

const ID = 'a-session-id-001'
const LOG = logOf(6)
const log = (id = ID): string =>
  [headerLine({ version: 1, id, createdAt: 1 }, LOG.length), ...LOG.map((event) => JSON.stringify(event))].join('\n')
const NONE = `sha256-${'0'.repeat(64)}`

const zipOf = async (entries: readonly (readonly [name: string, content: string | Uint8Array<ArrayBuffer>])[]): Promise<Blob> => {
  const zip = createZip()
  for (const [name, content] of entries) await zip.add(name, new Blob([content]))
  return zip.end()
}
const refusedBy = async (file: Blob, world = copiesWorld()): Promise<string> => {
  const { message } = await expectCode(world.host.sessions.import({ file }), 'import/refused')
  expect(await world.stores.sessions.list({})).toEqual([])
  expect(await world.stores.blobs.owners('')).toEqual([])
  return message
}
/** The bytes of a zip, changed at places that are counted from one of its signatures. */
const patched = async (file: Blob, change: (view: DataView, find: (signature: number, nth?: number) => number) => void): Promise<Blob> => {
  const view = new DataView(await file.arrayBuffer())
  const find = (signature: number, nth = 0): number => {
    let left = nth
    for (let at = 0; at + 4 <= view.byteLength; at++) if (view.getUint32(at, true) === signature && left-- === 0) return at
    return expect.fail(`no signature ${signature.toString(16)}`)
  }
  change(view, find)
  return new Blob([view.buffer])
}
const [CENTRAL, END] = [0x02014b50, 0x06054b50]

const exported = async (): Promise<Blob> => {
  const world = copiesWorld([toolCall('put', { path: '/a', text: '1'.repeat(300) }), text('ok')])
  const id = await world.create('Trip')
  await world.say(id, 'go')
  return (await world.host.sessions.export({ sessionId: id })).file
}

describe('a refusal', () => {
  const first = headerLine({ version: 1, id: ID, createdAt: 1 }, 1)
  const noted = (data: string): string => `${first}\n{"type":"plugin/noted","seq":0,"time":1,"data":{"plugin":"p","data":${data}}}`
  const long = 'x'.repeat(100_000)

  test('S12 is short and says where, whatever the file holds', async () => {
    for (const file of [
      noted(`${'['.repeat(5000)}${']'.repeat(5000)}`),
      noted(`${`{"${long}":`.repeat(600)}1${'}'.repeat(600)}`),
      `{"format":"${long}"}`,
      `${first}\n{"type":"${long}","seq":0,"time":1,"data":{}}`,
      first.replace('"createdAt"', `"${long}":1,"createdAt"`),
      first.replace('"createdAt":1', `"createdAt":"${long}"`),
    ]) {
      const message = await refusedBy(new Blob([file]))
      expect(message.length, file.slice(0, 200)).toBeLessThan(500)
      expect(message).toMatch(/line|format/i)
    }
    const name = `${'y'.repeat(60_000)}.exe`
    expect(
      (
        await refusedBy(
          await zipOf([
            ['log/1.jsonl', log()],
            [name, 'x'],
          ]),
        )
      ).length,
    ).toBeLessThan(500)
  })
})

describe('plain files', () => {
  test('S12 a byte-order mark, CRLF and a missing last line end are read exactly', async () => {
    for (const file of [
      `\uFEFF${log()}`,
      log().replaceAll('\n', '\r\n'),
      `${log()}\n`,
      `\uFEFF${log().replaceAll('\n', '\r\n')}\r\n\r\n`,
    ]) {
      const world = copiesWorld()
      await world.host.sessions.import({ file: new Blob([file]) })
      expect((await world.events(ID)).slice(0, LOG.length)).toEqual(LOG)
    }
  })

  test('S12 every beginning of a file is refused', async () => {
    const whole = log()
    for (let length = 0; length < whole.length; length += 7) await refusedBy(new Blob([whole.slice(0, length)]))
  })

  test('S12 what is no session file at all is refused in plain words', async () => {
    const utf16 = new Uint8Array(new Uint16Array(Array.from(`\uFEFF${log()}`, (c) => c.charCodeAt(0))).buffer)
    for (const part of [
      '',
      'hello',
      '<html></html>',
      '{}',
      '[]',
      new Uint8Array([0xff, 0xd8, 0xff]),
      utf16,
      new Uint8Array([31, 139, 8, 0]),
    ])
      expect(await refusedBy(new Blob([part]))).toMatch(/no session file|not UTF-8/)
  })

  test('S12 a log that names content is refused without it', async () => {
    const snapshot = { type: 'files/snapshot', seq: 6, time: 1, data: { tree: NONE, changed: ['/a'] } }
    const file = new Blob([log().replace('"length":6', '"length":7'), '\n', JSON.stringify(snapshot)])
    expect(await refusedBy(file)).toMatch(/not in the file/)
  })

  test('S12 an id that could be mistaken for something else becomes a new one', async () => {
    for (const id of ['__proto__', 'a/b', '../x', 'arriving/x', ' ', 'x'.repeat(65), 'é']) {
      const world = copiesWorld()
      const { sessions } = await world.host.sessions.import({ file: new Blob([log(id)]) })
      expect(sessions[0]?.sessionId).toMatch(/^[0-9a-f-]{36}$/)
    }
  })
})

describe('zipped files', () => {
  test('S12 nothing but sessions, their files and blobs may be in one', async () => {
    for (const name of [
      '../evil',
      '/etc/passwd',
      'sessions/../../x',
      'sessions/01.jsonl',
      'sessions/0.jsonl',
      'blobs/x',
      `blobs/${NONE}/`,
      '__MACOSX/x',
      'x',
      'SESSIONS/1.jsonl',
      '__proto__',
    ]) {
      const message = await refusedBy(
        await zipOf([
          ['sessions/1.jsonl', log()],
          [name, 'x'],
        ]),
      )
      expect(message).toContain(JSON.stringify(name))
    }
    const world = copiesWorld()
    await world.host.sessions.import({
      file: await zipOf([
        ['sessions/', ''],
        ['sessions/1.jsonl', log()],
        ['blobs/', ''],
      ]),
    })
  })

  test('S12 a zip without a session, with one twice, or with files of none is refused', async () => {
    expect(await refusedBy(await zipOf([]))).toMatch(/no session/)
    expect(
      await refusedBy(
        await zipOf([
          ['sessions/1.jsonl', log()],
          ['sessions/1.jsonl', log()],
        ]),
      ),
    ).toMatch(/same name/)
    expect(
      await refusedBy(
        await zipOf([
          ['sessions/1.jsonl', log()],
          ['sessions/2.jsonl', log()],
        ]),
      ),
    ).toMatch(/already/)
    expect(
      await refusedBy(
        await zipOf([
          ['sessions/1.jsonl', log()],
          ['sessions/2.files.json', '{}'],
        ]),
      ),
    ).toMatch(/no session beside it/)
  })

  test('S12 if one session of several is wrong none is imported', async () => {
    const message = await refusedBy(
      await zipOf([
        ['sessions/1.jsonl', log()],
        ['sessions/2.jsonl', log('a-session-id-002').replace('"seq":3', '"seq":4')],
      ]),
    )
    expect(message).toMatch(/sessions\/2\.jsonl: Line 5/)
  })

  test('S12 content that is not what its name says, or not there, is refused', async () => {
    const tree = (path: string, size = 4): string => JSON.stringify({ [path]: { blob: NONE, size, modifiedAt: 1 } })
    expect(
      await refusedBy(
        await zipOf([
          ['sessions/1.jsonl', log()],
          ['sessions/1.files.json', tree('/a')],
        ]),
      ),
    ).toMatch(/not in the file/)
    const changed = await zipOf([
      ['sessions/1.jsonl', log()],
      ['sessions/1.files.json', tree('/a')],
      [`blobs/${NONE}`, 'text'],
    ])
    expect(await refusedBy(changed)).toMatch(/was changed/)
    const text = 'sha256-982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1'
    const sized = tree('/a', 5).replace(NONE, text)
    expect(
      await refusedBy(
        await zipOf([
          ['sessions/1.jsonl', log()],
          ['sessions/1.files.json', sized],
          [`blobs/${text}`, 'text'],
        ]),
      ),
    ).toMatch(/5 bytes/)
  })

  test('S12 paths stay inside: a file that would lie elsewhere is refused', async () => {
    for (const path of ['a', '/../a', '/a/../../b', '/a//b', '/', '', '/a/', '__proto__', '/nul\0']) {
      const files = JSON.stringify({ x: 0 }).replace('"x":0', `${JSON.stringify(path)}:{"blob":"${NONE}","size":1,"modifiedAt":1}`)
      expect(
        await refusedBy(
          await zipOf([
            ['sessions/1.jsonl', log()],
            ['sessions/1.files.json', files],
          ]),
        ),
      ).toMatch(/list of files/)
    }
    for (const files of [
      '',
      '[]',
      'null',
      '{"/a":1}',
      '{"/a":{}}',
      `{"/a":{"blob":"${NONE}","size":-1,"modifiedAt":1}}`,
      `{"/a":{"blob":"${NONE}","size":1,"modifiedAt":1,"mode":7}}`,
    ])
      expect(
        await refusedBy(
          await zipOf([
            ['sessions/1.jsonl', log()],
            ['sessions/1.files.json', files],
          ]),
        ),
      ).toMatch(/list of files/)
  })

  test('S12 an entry that holds more than it says is found out before it is unpacked whole', async () => {
    const bomb = await zipOf([['sessions/1.jsonl', new Uint8Array(120_000_000)]])
    expect(bomb.size).toBeLessThan(200_000)
    const lie = await patched(bomb, (view, find) => view.setUint32(find(CENTRAL) + 24, 100, true))
    const started = process.memoryUsage().arrayBuffers
    expect(await refusedBy(lie)).toMatch(/damaged/)
    expect(process.memoryUsage().arrayBuffers - started).toBeLessThan(60_000_000)
  })

  test('S12 sizes beyond the limits are refused unread, each and all together', async () => {
    const many = await zipOf([
      ['sessions/1.jsonl', log()],
      [`blobs/${NONE}`, 'x'],
    ])
    const large = await patched(many, (view, find) => view.setUint32(find(CENTRAL, 1) + 24, 300_000_000, true))
    expect(await refusedBy(large)).toMatch(/larger than 256 MB/)
    const hex = (i: number): string => `blobs/sha256-${String(i).padStart(64, '0')}`
    const names = Array.from({ length: 20 }, (_, i) => [hex(i), 'x'] as const)
    const sum = await patched(await zipOf([['sessions/1.jsonl', log()], ...names]), (view, find) => {
      for (let i = 1; i <= 20; i++) view.setUint32(find(CENTRAL, i) + 24, 250_000_000, true)
    })
    expect(await refusedBy(sum)).toMatch(/more than 4096 MB/)
  })

  test('S12 entries that lie over each other, are encrypted, in parts, or packed unknown are refused', async () => {
    const plain = await zipOf([
      ['sessions/1.jsonl', log()],
      [`blobs/${NONE}`, 'x'],
    ])
    for (const [change, says] of [
      [(view, find) => view.setUint32(find(CENTRAL, 1) + 20, 100_000, true), /damaged/],
      [(view, find) => view.setUint16(find(CENTRAL) + 8, 1, true), /encrypted/],
      [(view, find) => view.setUint16(find(CENTRAL) + 10, 14, true), /not known/],
      [(view, find) => view.setUint16(find(END) + 4, 1, true), /part of several/],
      [(view, find) => view.setUint16(find(END) + 10, 1, true), /part of several/],
      [(view, find) => view.setUint32(find(END) + 16, 0xffffffff, true), /larger than/],
      [(view, find) => view.setUint32(find(END) + 12, 1, true), /damaged/],
      [(view, find) => view.setUint32(find(CENTRAL) + 42, 5, true), /not where/],
      [(view, find) => view.setUint32(find(CENTRAL) + 16, 1, true), /damaged/],
      [(view, find) => view.setUint32(find(CENTRAL) + 24, 5_000, true), /damaged/],
    ] as readonly [Parameters<typeof patched>[1], RegExp][]) {
      expect(await refusedBy(await patched(plain, change))).toMatch(says)
    }
  })

  test('S12 every beginning of a zip is refused', async () => {
    const whole = await exported()
    for (let length = 4; length < whole.size; length += 41) await refusedBy(whole.slice(0, length))
  })

  test('S12 a zip with bytes changed anywhere is refused, or means the same', async () => {
    const bytes = new Uint8Array(await (await exported()).arrayBuffer())
    const read = async (file: Blob): Promise<unknown> => {
      const world = copiesWorld()
      const { sessions } = await world.host.sessions.import({ file })
      const id = sessions[0]!.sessionId
      return [await world.events(id), await world.files(id)]
    }
    const same = JSON.stringify(await read(new Blob([bytes])))
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = bytes.slice()
        changed[at] = changed[at]! ^ by
        const outcome = await read(new Blob([changed])).catch((error: { code?: string }) => error.code)
        expect(outcome === 'import/refused' || JSON.stringify(outcome) === same).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})

test('S12 S4 with no room left nothing of an import is there, and after room was made it comes in', async () => {
  const file = await exported()
  let room = true
  const world = copiesWorld([], openMemoryStorage({ hasRoom: () => room }))
  await world.host.models.chosen({})
  room = false
  await expectCode(world.host.sessions.import({ file }), 'storage/quota')
  expect(await world.stores.blobs.owners('')).toEqual([])
  room = true
  expect((await world.host.sessions.import({ file })).sessions).toHaveLength(1)
  expect(await world.files((await world.stores.sessions.list({}))[0]!.id)).toEqual({ '/a': '1'.repeat(300) })
})
