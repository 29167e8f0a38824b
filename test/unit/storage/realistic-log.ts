// Builds realistic logs out of choices: turns, steps, retries, replies, calls with questions and approvals, task runs.
import type { ContentBlock, ToolCallBlock } from '../../../src/storage/log/content.ts'
import type { EventOf, EventType, SessionEvent, SessionEventData, SurfacePlace } from '../../../src/storage/log/events.ts'
import type { Chunk } from '../../../src/storage/log/model-call.ts'

/** A number from 0 to `max`, inclusive. */
export type Pick = (max: number) => number

const USER = { kind: 'user' } as const
const APPEND = { surfaceOp: 'append' } as const
const WORDS = ['one ', 'two\n', ' ', '', '😀', '"three"', 'über ', '\ud800']

const textOf = (text: string): readonly ContentBlock[] => [{ type: 'text', text }]

export const realisticLog = (pick: Pick): readonly SessionEvent[] => {
  const events: SessionEvent[] = []
  let time = 1_700_000_000_000
  let ids = 0
  const newId = (kind: string): string => `${kind}-${ids++}`
  const sometimes = (inverse: number): boolean => pick(inverse) === 0

  const add = <T extends EventType>(type: T, data: SessionEventData[T], place?: SurfacePlace): number => {
    time += pick(3) * pick(20)
    events.push({ type, seq: events.length, time, data, ...place } as EventOf<T> as SessionEvent)
    return events.length - 1
  }

  const deltas = (chunk: (piece: string) => Chunk, turn: number, step: number, seqs: number[]): string => {
    let text = ''
    for (let i = pick(8); i >= 0; i--) {
      const piece = WORDS[pick(WORDS.length - 1)]!
      text += piece
      seqs.push(add('assistant/chunk', { turn, step, chunk: chunk(piece) }))
    }
    return text
  }

  const stream = (turn: number, step: number, calls: number, fails: boolean): { content: ContentBlock[]; seqs: number[] } => {
    const content: ContentBlock[] = []
    const seqs: number[] = []
    const chunk = (value: Chunk): void => void seqs.push(add('assistant/chunk', { turn, step, chunk: value }))
    let index = 0
    for (const type of ['reasoning', 'text'] as const) {
      if (sometimes(2)) continue
      const at = index++
      if (!sometimes(3)) chunk({ type: 'block-start', index: at, blockType: type })
      const text = deltas((piece) => ({ type: `${type}-delta`, index: at, text: piece }), turn, step, seqs)
      const block: ContentBlock = { type, text }
      if (!sometimes(3)) chunk({ type: 'block-end', index: at, block })
      content.push(block)
    }
    for (let i = 0; i < calls; i++) {
      const at = index++
      const id = newId('call')
      chunk({ type: 'block-start', index: at, blockType: 'tool-call' })
      chunk({ type: 'tool-call-delta', index: at, id, name: 'echo', argumentsDelta: '' })
      const text = deltas((piece) => ({ type: 'tool-call-delta', index: at, id, argumentsDelta: piece }), turn, step, seqs)
      const block: ToolCallBlock = { type: 'tool-call', id, name: 'echo', arguments: text }
      chunk({ type: 'block-end', index: at, block })
      content.push(block)
    }
    if (fails && sometimes(1)) return { content, seqs }
    if (sometimes(1)) chunk({ type: 'usage', usage: { inputTokens: 10, outputTokens: 5, ...(sometimes(1) && { cost: 0.25 }) } })
    chunk({ type: 'finish', reason: fails ? { kind: 'error', message: 'overloaded' } : { kind: calls > 0 ? 'tool-calls' : 'stop' } })
    return { content, seqs }
  }

  const wait = (callId: string): void => {
    const kind = pick(7)
    if (kind < 2) {
      add('question/asked', { callId, questions: [{ id: 'q1', text: 'Which one?', freeText: true }] })
      add('question/answered', { callId, answers: sometimes(2) ? null : [{ id: 'q1', chosen: [], text: 'the second' }] })
    } else if (kind < 4) {
      add('approval/asked', { callId, action: { tool: 'echo', summary: 'Run it' } })
      add('approval/decided', { callId, decision: { kind: 'allow', reach: 'once' } })
    }
  }

  const result = (turn: number, step: number, callId: string, cited: number): void => {
    add('tool/result', { turn, step, callId, content: textOf('done'), isError: false }, { ...APPEND, sourceEventSeqs: [cited] })
  }

  const runCalls = (turn: number, step: number, calls: readonly ToolCallBlock[]): void => {
    const start = (call: ToolCallBlock): number => {
      const seq = add('tool/call', { turn, step, callId: call.id, name: call.name, arguments: call.arguments })
      wait(call.id)
      return seq
    }
    if (sometimes(1)) {
      const started = calls.map((call) => [call.id, start(call)] as const)
      for (const [id, cited] of started) result(turn, step, id, cited)
    } else for (const call of calls) result(turn, step, call.id, start(call))
  }

  const runStep = (turn: number, step: number): boolean => {
    add('step/start', { turn, step })
    if (step === 1 || sometimes(3)) {
      add('request/header', { header: { config: { provider: 'demo', model: `model-${pick(2)}` } }, reason: 'initial' })
    }
    while (sometimes(3)) {
      stream(turn, step, pick(1), true)
      const failure = { class: 'overloaded', message: 'The model is overloaded.', transient: true } as const
      add('model/retry', { turn, step, attempt: 1, delayMs: 100, failure })
    }
    const { content, seqs } = stream(turn, step, pick(3), false)
    const provenance = { provider: 'demo', model: 'model-0' }
    add('assistant/message', { turn, step, content, provenance }, { ...APPEND, sourceEventSeqs: seqs })
    const calls = content.filter((block) => block.type === 'tool-call')
    runCalls(turn, step, calls)
    if (sometimes(3)) add('context/message', { content: textOf('by the way'), source: { kind: 'plugin', plugin: 'test' } }, APPEND)
    add('step/end', { turn, step })
    return calls.length > 0
  }

  for (let turn = 1; turn <= 1 + pick(2); turn++) {
    const run = sometimes(2) ? newId('run') : undefined
    if (run !== undefined) add('task/started', { run, kind: 'task', prompt: textOf('Do it') })
    add('turn/start', { turn, trigger: { kind: 'message', source: USER } })
    add('user/message', { id: newId('message'), content: textOf('Go on'), source: USER }, APPEND)
    let step = 1
    while (runStep(turn, step) && step < 3) step++
    if (sometimes(3)) {
      add('compaction/start', { trigger: 'manual', tokens: 100 })
      add('compaction/end', { outcome: 'unchanged' })
    }
    add('turn/end', { turn, reason: { kind: 'completed' } })
    if (run !== undefined) {
      const usage = { inputTokens: 1, outputTokens: 1 }
      const result = {
        exitReason: 'status_complete',
        summary: 'Done',
        toolCount: 0,
        turnCount: 1,
        totalCost: null,
        totalUsage: usage,
      } as const
      add('task/ended', { run, result: { success: true, ...result } })
    }
  }
  return events
}
