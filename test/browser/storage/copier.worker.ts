// A worker that forks a session again and again until it is ended in the middle of it.
import { openIdbStorage } from '../../../src/storage/idb/open-idb-storage.ts'

addEventListener('message', async ({ data: namespace }: MessageEvent<string>) => {
  const { whole, sessions, files } = openIdbStorage({ namespace })
  const row = (await sessions.get('s1'))!
  const tree = await files.list('s1', '/')
  for (let i = 0; ; i++) {
    const id = `fork-${i}-${crypto.randomUUID()}`
    postMessage(id)
    await whole.fork({ from: 's1', length: row.nextSeq, row: { ...row, id, header: { ...row.header, id } }, more: [], files: tree })
    if (i % 3 === 2) await whole.remove(id)
  }
})
