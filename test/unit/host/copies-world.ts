// A whole host over memory storage whose model writes files, for forks, exports and imports.
import type { BlobId, SessionId } from '../../../src/storage/log/content.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { mountHost } from '../../../src/worker/host/mount-host.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { memoryLeases } from '../../kit/memory-leases.ts'
import type { Reply } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'

export const bytesOf = (words: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(words)
export const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes)

export const copiesWorld = (replies: readonly Reply[] = [], stores: Stores = openMemoryStorage(), leases = memoryLeases()) => {
  const model = scriptedModel(replies)
  let time = 1_000_000
  const put = defineTool({
    name: 'put',
    description: 'Writes a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } }, required: ['path', 'text'] },
    async execute({ path, text }, { agent }) {
      await stores.files.write(agent?.session.id ?? '', path, bytesOf(text), { modifiedAt: time })
      return 'written'
    },
  })
  const served = { provider: 'test', label: 'Scripted', models: ['scripted'], adapter: model }
  const { host, runtime } = mountHost({ stores, leases, models: [served], tools: [put], now: () => time++ })

  return {
    host,
    runtime,
    model,
    stores,
    leases,
    async create(title?: string): Promise<SessionId> {
      return (await host.sessions.create(title === undefined ? {} : { title })).sessionId
    },
    /** Sends and waits for the end of the turn. */
    async say(sessionId: SessionId, words: string): Promise<void> {
      await host.drive.send({ sessionId, messageId: crypto.randomUUID(), content: [{ type: 'text', text: words }] })
      await runtime.agents.get(sessionId)?.whenIdle()
    },
    events: (id: SessionId): Promise<readonly SessionEvent[]> => stores.sessions.read(id, { after: -1 }),
    async files(id: SessionId): Promise<{ readonly [path: string]: string | undefined }> {
      const entries = await stores.files.list(id, '/')
      return Object.fromEntries(
        await Promise.all(entries.map(async ({ path }) => [path, textOf((await stores.files.read(id, path))?.bytes)])),
      )
    },
    write: (id: SessionId, path: string, words: string) => stores.files.write(id, path, bytesOf(words), { modifiedAt: time }),
    has: async (id: BlobId): Promise<boolean> => (await stores.blobs.get(id)) !== undefined,
  }
}

export const seqOf = (events: readonly SessionEvent[], type: SessionEvent['type'], nth = 0): number =>
  events.filter((event) => event.type === type)[nth]?.seq ?? -1

/** Without what is its own: the events up to a seq, as they must be equal in a copy. */
export const upTo = (events: readonly SessionEvent[], length: number): readonly SessionEvent[] => events.slice(0, length)
