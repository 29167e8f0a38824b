// Contract 1, deriving messages: the exact shape of each, and what contributes nothing.
import { expect, test } from 'vitest'
import type { Source } from '../../../src/storage/log/content.ts'
import { isDeepFrozen, newLog, user, words } from './new-log.ts'

const APPEND = { surfaceOp: 'append' } as const
const tides: Source = { kind: 'plugin', plugin: 'tides' }
const provenance = { provider: 'p', model: 'm' }

test('a user/message gives role and content, and no other key', () => {
  const { log } = newLog()
  log.append('user/message', { id: 'm', content: words('hi'), source: tides }, APPEND)
  expect(log.deriveMessages()).toStrictEqual([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }])
})

test('an assistant/message gives role, content and provenance, and keeps usage and the interruption to itself', () => {
  const { log } = newLog()
  const data = {
    turn: 1,
    step: 1,
    content: words('ok'),
    provenance,
    usage: { inputTokens: 1, outputTokens: 1 },
    interrupted: true,
  } as const
  log.append('assistant/message', data, APPEND)
  expect(log.deriveMessages()).toStrictEqual([{ role: 'assistant', content: [{ type: 'text', text: 'ok' }], provenance }])
})

test('an assistant/message with empty content gives no message', () => {
  const { log } = newLog()
  log.append('assistant/message', { turn: 1, step: 1, content: [], provenance }, APPEND)
  expect(log.deriveMessages()).toEqual([])
})

test('a tool/result gives one tool-result block of the user, without error and meta', () => {
  const { log } = newLog()
  log.append(
    'tool/result',
    { turn: 1, step: 1, callId: 'c', content: words('no'), isError: true, error: { name: 'E', code: 'X' }, meta: { a: 1 } },
    APPEND,
  )
  expect(log.deriveMessages()).toStrictEqual([
    { role: 'user', content: [{ type: 'tool-result', toolCallId: 'c', content: [{ type: 'text', text: 'no' }], isError: true }] },
  ])
})

test('a context/message is wrapped in three parts that name the kind of its source', () => {
  const { log } = newLog()
  log.append('context/message', { content: words('high'), source: tides, meta: { shown: 'never' } }, APPEND)
  log.append('context/message', { content: words('low'), source: user, envelope: 'context' }, APPEND)
  const wrapped = (kind: string, text: string) => ({
    role: 'user',
    content: [
      { type: 'text', text: `<context source="${kind}">` },
      { type: 'text', text },
      { type: 'text', text: '</context>' },
    ],
  })
  expect(log.deriveMessages()).toStrictEqual([wrapped('plugin', 'high'), wrapped('user', 'low')])
})

test('a raw context/message gives its blocks verbatim', () => {
  const { log } = newLog()
  log.append('context/message', { content: words('as it is'), source: tides, envelope: 'raw' }, APPEND)
  expect(log.deriveMessages()).toStrictEqual([{ role: 'user', content: [{ type: 'text', text: 'as it is' }] }])
})

test('a context/message with empty content gives nothing, raw or not', () => {
  const { log } = newLog()
  log.append('context/message', { content: [], source: tides }, APPEND)
  log.append('context/message', { content: [], source: tides, envelope: 'raw' }, APPEND)
  expect(log.deriveMessages()).toEqual([])
})

test('a steering/message is wrapped like a context, with a tag of its own', () => {
  const { log } = newLog()
  log.append('steering/message', { id: 'm', turn: 1, content: words('left'), source: user }, APPEND)
  expect(log.deriveMessages()).toStrictEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: '<steering source="user">' },
        { type: 'text', text: 'left' },
        { type: 'text', text: '</steering>' },
      ],
    },
  ])
})

test('all else contributes nothing', () => {
  const { log } = newLog()
  log.append('turn/start', { turn: 1, trigger: { kind: 'message', source: user } })
  log.append('prompt/blocked', { id: 'm', content: words('no'), source: user, reason: 'why' })
  log.append('assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'x' } })
  log.append('tool/call', { turn: 1, step: 1, callId: 'c', name: 't', arguments: '{}' })
  log.append('session/title', { title: 'A', by: 'user' })
  expect(log.deriveMessages()).toEqual([])
})

test('L6 L90 the list is frozen, the same until the surface changes, and its messages are shared', () => {
  const { log } = newLog()
  log.append('user/message', { id: 'm1', content: words('a'), source: user }, APPEND)
  const first = log.deriveMessages()
  log.append('session/title', { title: 'A', by: 'user' })
  expect(log.deriveMessages()).toBe(first)
  log.append('user/message', { id: 'm2', content: words('b'), source: user }, APPEND)
  const second = log.deriveMessages()
  expect(first).toHaveLength(1)
  expect(second).toHaveLength(2)
  expect(second[0]).toBe(first[0])
  expect(isDeepFrozen(second)).toBe(true)
  log.append('context/message', { content: words('c'), source: tides }, APPEND)
  log.append('tool/result', { turn: 1, step: 1, callId: 'c', content: words('d'), isError: false }, APPEND)
  expect(isDeepFrozen(log.deriveMessages())).toBe(true)
})
