// The log of a session of 100,000 events, as a stream leaves it.
import type { EventOf, EventType, SessionEvent, SessionEventData, SurfacePlace } from '../../src/storage/log/events.ts'

const EVENTS = 100_000
const DELTAS = 490
export const EVENTS_A_TURN = DELTAS + 8
const SOURCE = { kind: 'user' } as const
const APPEND = { surfaceOp: 'append' } as const

/** Turns of one reply of some 490 words each, as a stream leaves them. */
export const longLog = (): readonly SessionEvent[] => {
  const events: SessionEvent[] = []
  let time = 1_700_000_000_000
  const add = <T extends EventType>(type: T, data: SessionEventData[T], place?: SurfacePlace): void => {
    time += (events.length * 7) % 23
    events.push({ type, seq: events.length, time, data, ...place } as EventOf<T> as SessionEvent)
  }
  for (let turn = 1; events.length < EVENTS; turn++) {
    add('turn/start', { turn, trigger: { kind: 'message', source: SOURCE } })
    add('user/message', { id: `m${turn}`, content: [{ type: 'text', text: `Tell me about number ${turn}.` }], source: SOURCE }, APPEND)
    add('step/start', { turn, step: 1 })
    add('assistant/chunk', { turn, step: 1, chunk: { type: 'block-start', index: 0, blockType: 'text' } })
    let text = ''
    for (let i = 0; i < DELTAS; i++) {
      const piece = i % 80 === 79 ? '\n\n' : `${'wonderful'.slice(0, 2 + (i % 8))} `
      text += piece
      add('assistant/chunk', { turn, step: 1, chunk: { type: 'text-delta', index: 0, text: piece } })
    }
    const usage = { inputTokens: 100, outputTokens: DELTAS }
    add('assistant/chunk', { turn, step: 1, chunk: { type: 'finish', reason: { kind: 'stop' } } })
    add(
      'assistant/message',
      { turn, step: 1, content: [{ type: 'text', text }], provenance: { provider: 'demo', model: 'demo-rules' }, usage },
      APPEND,
    )
    add('step/end', { turn, step: 1 })
    add('turn/end', { turn, reason: { kind: 'completed' } })
  }
  return events
}
