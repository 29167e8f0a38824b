// B2 and B3: a stream of 20,000 chunks through the whole loop, and 4,000 tiny turns in one session.
import type { Chunk } from '../../src/storage/log/model-call.ts'
import type { LlmAdapter } from '../../src/worker/hooks/llm.ts'
import { createRuntime } from '../../src/worker/runtime.ts'
import { calibrate, report } from './calibration.ts'
import { threadClock } from './thread-clock.ts'

const replyOf = (pieces: number): LlmAdapter => ({
  async *stream(): AsyncGenerator<Chunk> {
    yield { type: 'block-start', index: 0, blockType: 'text' }
    for (let i = 0; i < pieces; i += 1) yield { type: 'text-delta', index: 0, text: 'word ' }
    yield { type: 'block-end', index: 0, block: { type: 'text', text: 'word '.repeat(pieces) } }
    yield { type: 'usage', usage: { inputTokens: 10, outputTokens: 5 } }
    yield { type: 'finish', reason: { kind: 'stop' } }
  },
})

const start = (adapter: LlmAdapter) => {
  const runtime = createRuntime()
  runtime.llm.registerAdapter(['bench'], adapter)
  runtime.on('session/event', () => {})
  return { runtime, agent: runtime.agents.start('a', { provider: 'bench', model: 'bench' }) }
}

/** Milliseconds. */
const timeTurns = async (agent: ReturnType<typeof start>['agent'], turns: number): Promise<number> => {
  const begin = threadClock.now()
  for (let i = 0; i < turns; i += 1) {
    agent.send('go')
    await agent.whenIdle()
  }
  return threadClock.now() - begin
}

/** Microseconds a chunk. */
const streamOnce = async (): Promise<number> => {
  const { runtime, agent } = start(replyOf(20_000))
  const ms = await timeTurns(agent, 1)
  if (agent.session.events.length < 20_000) throw new Error('Not every chunk is in the log.')
  await runtime.dispose()
  return (ms * 1000) / 20_000
}

/** 4,000 turns in one session, by 250. */
const manyTurns = async (): Promise<readonly number[]> => {
  const { runtime, agent } = start(replyOf(1))
  const parts: number[] = []
  for (let i = 0; i < 16; i += 1) parts.push(await timeTurns(agent, 250))
  await runtime.dispose()
  return parts
}

const calibration = calibrate(threadClock.now)
await streamOnce()
const perChunk = Math.min(await streamOnce(), await streamOnce(), await streamOnce())

// The first round warms the engine: without it the first 250 turns would be compiled while they are timed, and hide a growth.
await manyTurns()
const rounds = [await manyTurns(), await manyTurns(), await manyTurns()]
const totals = rounds.map((parts) => parts.reduce((sum, ms) => sum + ms, 0))
const grows = rounds.map((parts) => (parts.at(-1) ?? 0) / (parts[0] ?? 1)).toSorted((a, b) => a - b)[1] ?? 0

console.log(threadClock.what)
report(calibration, [
  { what: 'B2 one chunk of 20,000 through the loop', us: perChunk, limitUs: 3 },
  { what: 'B3 4,000 tiny turns in one session, total', us: Math.min(...totals) * 1000, limitUs: 300_000 },
])
console.log(`B3 the last 250 turns cost ${grows.toFixed(2)} of the first 250 (at most 1.20)`)
