// What holds for every log that the loop has written, whatever happened: boundaries balance, turns count up, calls have their results.
import type { ContentBlock, Message } from '../../src/storage/log/content.ts'
import type { EventOf, EventType, SessionEvent } from '../../src/storage/log/events.ts'
import { createSessionLog } from '../../src/storage/log/session-log.ts'

const OUTSIDE_TURNS: readonly EventType[] = ['task/started', 'task/noted', 'task/ended', 'tool/late', 'session/title', 'plugin/noted']

const has =
  <T extends EventType>(type: T) =>
  (event: SessionEvent): event is EventOf<T> & SessionEvent =>
    event.type === type

/** The messages that a log with these events derives. */
export const deriveFrom = (events: readonly SessionEvent[]): readonly Message[] =>
  createSessionLog({ header: { version: 1, id: 'rebuilt', createdAt: 0 }, now: () => 0, seed: events }).deriveMessages()

const callsOf = (content: readonly ContentBlock[]): readonly string[] =>
  content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))
const resultsOf = (content: readonly ContentBlock[]): readonly string[] =>
  content.flatMap((block) => (block.type === 'tool-result' ? [block.toolCallId] : []))

/** Every call has exactly one result, and they stand directly behind the message that made the calls, in its order. */
export const misplacedCalls = (messages: readonly Message[]): readonly string[] => {
  const problems: string[] = []
  const answered = new Set<string>()
  messages.forEach((message, i) => {
    const calls = message.role === 'assistant' ? callsOf(message.content) : []
    const behind = messages.slice(i + 1, i + 1 + calls.length).flatMap(({ content }) => resultsOf(content))
    if (calls.join() !== behind.join()) problems.push(`calls ${calls.join()} are followed by ${behind.join() || 'no results'}`)
    for (const id of calls) answered.add(id)
    for (const id of resultsOf(message.content)) if (!answered.delete(id)) problems.push(`result ${id} has no call, or a second one`)
  })
  return problems
}

/** What is wrong with a log whose driver is at rest; empty when all is well. */
export const problemsOf = (events: readonly SessionEvent[]): readonly string[] => {
  const problems: string[] = []
  let turn = 0
  let turnOpen = false
  let step = 0
  let stepOpen = false
  for (const event of events) {
    const fail = (what: string): void => void problems.push(`${event.seq} ${event.type}: ${what}`)
    if (has('turn/start')(event)) {
      if (turnOpen) fail('the turn before is open')
      if (event.data.turn !== turn + 1) fail(`turn ${event.data.turn} comes after ${turn}`)
      turn = event.data.turn
      turnOpen = true
      step = 0
    } else if (!turnOpen && !OUTSIDE_TURNS.includes(event.type)) fail('stands outside a turn')
    if (has('turn/end')(event)) {
      if (stepOpen) fail('its step is open')
      if (event.data.turn !== turn) fail(`ends turn ${event.data.turn} in turn ${turn}`)
      turnOpen = false
    }
    if (has('step/start')(event)) {
      if (stepOpen) fail('the step before is open')
      if (event.data.turn !== turn || event.data.step !== step + 1)
        fail(`step ${event.data.turn}.${event.data.step} comes after ${turn}.${step}`)
      step = event.data.step
      stepOpen = true
    }
    if (has('step/end')(event)) {
      if (!stepOpen || event.data.step !== step) fail('no such step is open')
      stepOpen = false
    }
    if (has('assistant/message')(event)) {
      if (!stepOpen) fail('stands outside a step')
      const cited = (event.sourceEventSeqs ?? []).map((seq) => events[seq])
      const inStep = cited.every(
        (chunk) => chunk !== undefined && has('assistant/chunk')(chunk) && chunk.data.step === step && chunk.data.turn === turn,
      )
      if (!inStep) fail('cites something that is no chunk of its step')
    }
    if (has('tool/result')(event)) {
      const call = events[event.sourceEventSeqs?.[0] ?? -1]
      if (call === undefined || !has('tool/call')(call) || call.data.callId !== event.data.callId) fail('does not cite its call')
    }
  }
  if (turnOpen) problems.push(`turn ${turn} is left open`)
  const calls = events.filter(has('tool/call')).map(({ data }) => data.callId)
  const results = events.filter(has('tool/result')).flatMap(({ surfaceOp, data }) => (surfaceOp === 'append' ? [data.callId] : []))
  if (new Set(calls).size !== calls.length) problems.push('a call id is used twice')
  if (calls.toSorted().join() !== results.toSorted().join()) problems.push('calls and results do not pair')
  return [...problems, ...misplacedCalls(deriveFrom(events))]
}
