// The place for weights that tests use keeps the port's promises, too.
import { weightsSuite } from '../../contract/weights.ts'
import { memoryWeights } from '../../kit/memory-weights.ts'

weightsSuite('memory', async () => {
  const weights = memoryWeights()
  return {
    ...weights,
    async write(name) {
      const writer = await weights.write(name)
      return {
        size: async () => writer.size,
        append: async (bytes) => writer.append(bytes),
        restart: async () => writer.restart(),
        close: async () => writer.close(),
      }
    },
  }
})
