// A log for a test, written as a list of events without the numbers.
import type { ContentBlock } from '../../../src/storage/log/content.ts'
import type { EventType, SessionEvent, SessionEventData } from '../../../src/storage/log/events.ts'
import { EVENT_TYPES } from '../../../src/storage/log/events.ts'
import type { Chunk } from '../../../src/storage/log/model-call.ts'

export type Entry = { readonly [T in EventType]: readonly [type: T, data: SessionEventData[T], extra?: object] }[EventType]

/** Event `n` has seq `n` and time `1000 + n`. */
export const buildLog = (entries: readonly Entry[], from = 0): SessionEvent[] =>
  entries.map(([type, data, extra], index) => {
    const surface = EVENT_TYPES[type] === 'surface' ? { surfaceOp: 'append' } : {}
    return { type, data, seq: from + index, time: 1000 + from + index, ...surface, ...extra } as SessionEvent
  })

export const text = (value: string): ContentBlock => ({ type: 'text', text: value })
export const call = (id: string, name: string, args: string): ContentBlock => ({ type: 'tool-call', id, name, arguments: args })
export const chunk = (value: Chunk, step = 1, turn = 1): Entry => ['assistant/chunk', { turn, step, chunk: value }]
export const delta = (value: string, index = 0, step = 1): Entry => chunk({ type: 'text-delta', index, text: value }, step)
export const start = (index = 0, blockType: 'text' | 'reasoning' | 'tool-call' = 'text', step = 1): Entry =>
  chunk({ type: 'block-start', index, blockType }, step)
export const end = (block: ContentBlock, index = 0, step = 1): Entry => chunk({ type: 'block-end', index, block }, step)
export const finish = (kind: 'stop' | 'tool-calls' | 'max-tokens' = 'stop', step = 1): Entry =>
  chunk({ type: 'finish', reason: { kind } }, step)
export const message = (content: readonly ContentBlock[], extra: { readonly interrupted?: true; readonly step?: number } = {}): Entry => [
  'assistant/message',
  {
    turn: 1,
    step: extra.step ?? 1,
    content,
    provenance: { provider: 'p', model: 'm' },
    ...(extra.interrupted ? { interrupted: true } : {}),
  },
]
export const turnStart: Entry = ['turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } }]
export const userSays = (value: string, id = `message-${value}`): Entry => [
  'user/message',
  { id, content: [text(value)], source: { kind: 'user' } },
]
export const stepStart = (step = 1): Entry => ['step/start', { turn: 1, step }]
export const stepEnd = (step = 1): Entry => ['step/end', { turn: 1, step }]
export const turnEnd = (reason: SessionEventData['turn/end']['reason'] = { kind: 'completed' }): Entry => ['turn/end', { turn: 1, reason }]
