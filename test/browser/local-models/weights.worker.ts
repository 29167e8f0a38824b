// The origin's private file system from a dedicated worker, which alone may write there in place, for the suite on the page.
import { expose, proxy } from 'comlink'
import { opfsWeights } from '../../../src/worker/capabilities/local-models/opfs-weights.ts'
import { installErrorTransfer } from '../../../src/worker/client/error-transfer.ts'

installErrorTransfer()
const folder = self.name
const weights = opfsWeights(folder)
expose({
  list: () => weights.list(),
  read: (name: string) => weights.read(name),
  remove: (name: string) => weights.remove(name),
  async write(name: string) {
    const writer = await weights.write(name)
    return proxy({
      size: () => writer.size,
      append: (bytes: Uint8Array) => writer.append(bytes),
      restart: () => writer.restart(),
      close: () => writer.close(),
    })
  },
})
