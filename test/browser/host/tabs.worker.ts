// An agent's worker as a tab has it, for tests: real storage, real locks and channels; its name is its namespace, its model obeys the prompt.
import type { Message } from '../../../src/storage/log/content.ts'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { LlmAdapter } from '../../../src/worker/hooks/llm.ts'
import { serve } from '../../../src/worker/host/serve.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const lastWords = (messages: readonly Message[]): string => {
  const prompt = messages.findLast(({ role }) => role === 'user')
  return prompt?.content.map((block) => (block.type === 'text' ? block.text : '')).join('') ?? ''
}

/**
 * `talk` goes on until it is stopped; `block` keeps the thread for three seconds, as a frozen tab does; `first N` says N words; all else is
 * answered at once.
 */
const obedient: LlmAdapter = {
  async *stream({ messages, signal }): AsyncGenerator<Chunk> {
    const words = lastWords(messages)
    yield { type: 'block-start', index: 0, blockType: 'text' }
    yield { type: 'text-delta', index: 0, text: 'ok ' }
    if (words === 'block') {
      await pause(200) // until what was said is stored
      const end = performance.now() + 3000
      while (performance.now() < end);
    }
    const count = Number(/^first (\d+)$/.exec(words)?.[1] ?? 0)
    for (let i = 0; i < count; i++) yield { type: 'text-delta', index: 0, text: `${i} ` }
    for (let i = 0; words === 'talk'; i++) {
      await pause(10)
      signal?.throwIfAborted()
      yield { type: 'text-delta', index: 0, text: `${i} ` }
    }
    yield { type: 'block-end', index: 0, block: { type: 'text', text: 'ok ' } }
    yield { type: 'finish', reason: { kind: 'stop' } }
  },
}

serve({ namespace: self.name, models: [{ provider: 'test', label: 'Obedient', models: ['obedient'], adapter: obedient }] })
