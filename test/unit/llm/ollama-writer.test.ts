// Requests out to Ollama's native chat (W7, W5, W13): arguments as objects, results by name, pictures apart; and that any history is accepted.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ContentBlock, Message } from '../../../src/storage/log/content.ts'
import type { LlmRequest } from '../../../src/worker/hooks/llm.ts'
import { type OllamaWriteOptions, writeOllamaRequest } from '../../../src/worker/llm/wire/ollama-chat/write-request.ts'
import { ollamaHistoryProblems } from '../../kit/ollama-history-checker.ts'
import { anyInfo, anyMessages, anyPicture } from './any-messages.ts'

const HERE = { provider: 'p', model: 'm' }
const text = (words: string): ContentBlock => ({ type: 'text', text: words })
const user = (...content: readonly ContentBlock[]): Message => ({ role: 'user', content })
const assistant = (content: readonly ContentBlock[], provenance = HERE): Message => ({ role: 'assistant', content, provenance })
const call = (id: string, args = '{}', name = 'read'): ContentBlock => ({ type: 'tool-call', id, name, arguments: args })
const image = { type: 'image', blob: 'b1', mediaType: 'image/png' } as const
const result = (id: string, content: readonly ContentBlock[]): Message => ({
  role: 'user',
  content: [{ type: 'tool-result', toolCallId: id, content, isError: false }],
})
const write = (messages: readonly Message[], more: Partial<LlmRequest> = {}, options: OllamaWriteOptions = { picture: anyPicture }) => {
  const body = writeOllamaRequest({ ...HERE, messages, ...more }, options)
  expect(ollamaHistoryProblems(body)).toEqual([])
  return body
}

describe('the request body', () => {
  test('W7 only what was asked for is in it', () => {
    expect(write([user(text('hi'))])).toEqual({ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: true })
    const tool = { name: 'read', description: 'Reads.', parameters: { type: 'object' } }
    const request = { system: 'Be brief.', tools: [tool], temperature: 0, maxTokens: 9, stop: ['x'], effort: 'low' }
    expect(write([user(text('hi'))], request, { contextTokens: 32_768, keepAlive: '10m' })).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      tools: [{ type: 'function', function: tool }],
      think: 'low',
      options: { num_ctx: 32_768, num_predict: 9, temperature: 0, stop: ['x'] },
      keep_alive: '10m',
      stream: true,
    })
  })

  test('W13 effort is a switch or a level', () => {
    const think = (effort: string) => write([user(text('a'))], { effort }).think
    expect([think('none'), think('off'), think('on'), think('high')]).toEqual([false, false, true, 'high'])
  })
})

describe('W7 calls, results and pictures', () => {
  test('P-b01 arguments go as objects, each result after its call with the name of the tool, pictures after the last', () => {
    const history = [
      user(text('Look'), image),
      assistant([call('h-1', '{"path":"a","n":12345678901234567890}'), call('h-2', 'no json', 'shot')]),
      result('h-2', [text('640x480'), image]),
      user(text('Go on.')),
    ]
    expect(write(history).messages).toEqual([
      { role: 'user', content: 'Look', images: ['eA=='] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'h-1', function: { name: 'read', arguments: { path: 'a', n: '12345678901234567890' } } },
          { id: 'h-2', function: { name: 'shot', arguments: { unreadable_arguments: 'no json' } } },
        ],
      },
      { role: 'tool', content: expect.stringContaining('interrupted'), tool_name: 'read', tool_call_id: 'h-1' },
      {
        role: 'tool',
        content: '640x480\n(A picture of this result follows in the next user message.)',
        tool_name: 'shot',
        tool_call_id: 'h-2',
      },
      { role: 'user', content: 'Picture from the result of call h-2 (shot):\n\nGo on.', images: ['eA=='] },
    ])
    expect(write([user(image)]).messages).toEqual([{ role: 'user', content: '(See the picture.)', images: ['eA=='] }])
  })

  test('W13 a model without tools or sight gets words instead', () => {
    const history = [user(text('go')), assistant([call('c1', '{"a":1}')]), result('c1', [image]), user(text('so?'))]
    expect(write(history, {}, { info: { tools: false, images: false }, picture: anyPicture }).messages).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '[Called read with {"a":1}]' },
      { role: 'user', content: '[Result of read]\n(A picture was withheld. This model cannot see pictures.)\nso?' },
    ])
  })

  test('W5 thinking goes back with its calls to the model it came from, and nowhere else', () => {
    const thought: ContentBlock = { type: 'reasoning', text: 'hm', replay: { field: 'thinking' } }
    const loop = (provenance = HERE) => [user(text('go')), assistant([thought, call('c1')], provenance), result('c1', [text('1')])]
    expect(write(loop()).messages).toContainEqual(expect.objectContaining({ role: 'assistant', thinking: 'hm' }))
    const others = [
      loop({ provider: 'q', model: 'm' }),
      loop({ provider: 'p', model: 'n' }),
      [user(text('go')), assistant([thought, text('a')]), user(text('b'))],
    ]
    for (const other of others) expect(JSON.stringify(write(other))).not.toContain('hm')
  })
})

test('W7 any derived messages become a request that Ollama accepts', () => {
  fc.assert(
    fc.property(anyMessages([{ field: 'thinking' }, { field: 'content' }, null]), anyInfo, (messages, info) => {
      const before = JSON.stringify(messages)
      write(messages, { system: 's\ud800' }, { info, picture: anyPicture })
      expect(JSON.stringify(messages)).toBe(before)
    }),
    { numRuns: 1000 },
  )
})

describe('the history checker', () => {
  const bad = (...messages: readonly object[]) => ollamaHistoryProblems({ messages }).join(' · ')
  const said = { role: 'user', content: 'a' }
  const calls = (...ids: readonly string[]) => ({
    role: 'assistant',
    content: '',
    tool_calls: ids.map((id) => ({ id, function: { name: 'read', arguments: {} } })),
  })
  const results = (id: string, more: object = {}) => ({ role: 'tool', content: 'x', tool_name: 'read', tool_call_id: id, ...more })
  test('K6 it accepts what is right', () => expect(bad(said, calls('a', 'b'), results('a'), results('b'))).toBe(''))
  test.each([
    ['a result too few', bad(said, calls('a', 'b'), results('a'))],
    ['results in another order', bad(said, calls('a', 'b'), results('b'), results('a'))],
    ['a result of another tool', bad(said, calls('a'), results('a', { tool_name: 'other' }))],
    ['words between call and result', bad(said, calls('a'), said, results('a'))],
    ['an id used twice', bad(said, calls('a', 'a'), results('a'), results('a'))],
    [
      'arguments as text',
      bad(said, { ...calls('a'), tool_calls: [{ id: 'a', function: { name: 'read', arguments: '{}' } }] }, results('a')),
    ],
    ['a blank message', bad({ role: 'user', content: ' ' })],
    ['two of one role', bad(said, said)],
    ['a picture as an address', bad({ ...said, images: ['data:image/png;base64,eA=='] })],
    ['half of a pair', bad({ role: 'user', content: '\ud800' })],
    ['a late system message', bad(said, { role: 'system', content: 'a' })],
    ['nothing', bad()],
  ])('K6 it notices %s', (_, problems) => {
    expect(problems).not.toBe('')
  })
})
