// Requests out (W7, W13): whatever the log derives, the server gets a history that it accepts, and the log's messages are not changed.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ContentBlock, JsonObject, Message } from '../../../src/storage/log/content.ts'
import type { LlmRequest, ModelInfo } from '../../../src/worker/hooks/llm.ts'
import { chatDialect } from '../../../src/worker/llm/wire/openai-chat/dialects.ts'
import { writeChatRequest } from '../../../src/worker/llm/wire/openai-chat/write-request.ts'
import { openaiHistoryProblems } from '../../kit/openai-history-checker.ts'
import { anyInfo, anyMessages } from './any-messages.ts'

const HERE = { provider: 'p', model: 'm' }
const user = (...texts: readonly string[]): Message => ({ role: 'user', content: texts.map((text) => ({ type: 'text', text })) })
const assistant = (content: readonly ContentBlock[], provenance = HERE): Message => ({ role: 'assistant', content, provenance })
const text = (words: string): ContentBlock => ({ type: 'text', text: words })
const call = (id: string, args = '{}', name = 'read'): ContentBlock => ({ type: 'tool-call', id, name, arguments: args })
const result = (id: string, words: string, isError = false): Message => ({
  role: 'user',
  content: [{ type: 'tool-result', toolCallId: id, content: words === '' ? [] : [text(words)], isError }],
})
const image = (blob: string): ContentBlock => ({ type: 'image', blob, mediaType: 'image/png' })

const write = (
  messages: readonly Message[],
  more: Partial<LlmRequest> = {},
  info?: ModelInfo,
  picture = (blob: string): string | undefined => `data:,${blob}`,
) => {
  const request = { ...HERE, messages, ...more }
  const dialect = chatDialect('https://v.example/v1', request.model)
  const body = writeChatRequest(request, { dialect, ...(info === undefined ? {} : { info }), picture: ({ blob }) => picture(blob) })
  expect(openaiHistoryProblems(body, dialect.ids.pattern)).toEqual([])
  return body
}
const wire = (...args: Parameters<typeof write>) => write(...args).messages
const argumentsOf = (raw: string): unknown => {
  const [, written] = wire([user('go'), assistant([call('c1', raw)]), result('c1', 'ok')]) as readonly {
    tool_calls?: [{ function: { arguments: string } }]
  }[]
  return JSON.parse(written?.tool_calls?.[0].function.arguments ?? '')
}

describe('the request body', () => {
  test('W7 only what was asked for is in it, and usage is always asked for', () => {
    expect(write([user('hi')])).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      stream_options: { include_usage: true },
    })
    const tool = { name: 'read', description: 'Reads.', parameters: { type: 'object' } }
    expect(write([user('hi')], { system: 'Be brief.', tools: [tool], temperature: 0, maxTokens: 9, stop: ['x'], effort: 'low' })).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      tools: [{ type: 'function', function: tool }],
      temperature: 0,
      max_tokens: 9,
      stop: ['x'],
      reasoning_effort: 'low',
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test('W7 the parameters of a tool are one object for the server, whatever they are', () => {
    const parametersOf = (parameters: JsonObject) => {
      const [written] = write([user('hi')], { tools: [{ name: 'read', description: '', parameters }] }).tools as readonly [JsonObject]
      return written.function
    }
    expect(parametersOf({})).toMatchObject({ parameters: { type: 'object', properties: {} } })
    expect(parametersOf({ oneOf: [{ properties: { a: {} } }] })).toMatchObject({ parameters: { type: 'object', properties: { a: {} } } })
  })

  test('W7 a blank system prompt is left out', () => {
    expect(wire([user('hi')], { system: ' \n' })).toEqual([{ role: 'user', content: 'hi' }])
  })

  test('W7 the limit has the name that the server knows', () => {
    const key = (baseUrl: string) => chatDialect(baseUrl, 'm').maxTokens
    expect(key('https://api.openai.com/v1')).toBe('max_completion_tokens')
    expect(key('https://me.openai.azure.com/openai/v1')).toBe('max_completion_tokens')
    expect(key('http://localhost:1234/v1')).toBe('max_tokens')
    expect(key('https://openai.com.evil.example/v1')).toBe('max_tokens')
  })

  test('W7 the derived messages are not changed by writing them', () => {
    const messages = [user('a', ' '), assistant([text('\n'), call('c 1', 'no json')]), assistant([text('end  ')])]
    const before = structuredClone(messages)
    const frozen = JSON.parse(JSON.stringify(messages), (_, value) => (typeof value === 'object' ? Object.freeze(value) : value))
    wire(frozen)
    wire(messages)
    expect(messages).toEqual(before)
  })
})

describe('W7 calls and results', () => {
  test('W7 P-b01 a call that a stop left without result gets an interrupted one, real results stay', () => {
    const history = [
      user('Compare.'),
      assistant([text('Reading.'), call('h-1', '{"path":"a"}'), call('h-2', '{"path":"b"}')]),
      result('h-1', 'alpha'),
      user('Go on, only with a.'),
    ]
    expect(wire(history)).toEqual([
      { role: 'user', content: 'Compare.' },
      {
        role: 'assistant',
        content: 'Reading.',
        tool_calls: [
          { id: 'h-1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
          { id: 'h-2', type: 'function', function: { name: 'read', arguments: '{"path":"b"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'h-1', content: 'alpha' },
      { role: 'tool', tool_call_id: 'h-2', content: expect.stringContaining('interrupted') },
      { role: 'user', content: 'Go on, only with a.' },
    ])
  })

  test('W7 a result that comes late moves up to its call, one without a call is left out', () => {
    const history = [user('go'), assistant([call('c1')]), user('and?'), result('c1', 'late'), result('c9', 'orphan'), result('c1', 'twice')]
    expect(wire(history)).toEqual([
      { role: 'user', content: 'go' },
      expect.objectContaining({ role: 'assistant', content: null }),
      { role: 'tool', tool_call_id: 'c1', content: 'late' },
      { role: 'user', content: 'and?' },
    ])
  })

  test('W7 an id that is used twice, or is not in the alphabet, becomes another one in call and result, always the same', () => {
    const twice = [user('go'), assistant([call('c1')]), result('c1', 'one'), assistant([call('c1')]), result('c1', 'two')]
    const [, first, one, second, two] = wire(twice) as readonly { tool_calls: [{ id: string }]; tool_call_id: string; content: string }[]
    expect([first?.tool_calls[0].id, one?.tool_call_id, one?.content]).toEqual(['c1', 'c1', 'one'])
    expect([second?.tool_calls[0].id, two?.content]).toEqual([two?.tool_call_id, 'two'])
    expect(second?.tool_calls[0].id).not.toBe('c1')
    const odd = [user('go'), assistant([call('call:ü/1'), call('x'.repeat(80))]), result('call:ü/1', 'a')]
    expect(wire(odd)).toEqual(wire(odd))
    const mistral = wire([user('go'), assistant([call('call_abc')], { ...HERE, model: 'mistral-small' }), result('call_abc', 'a')], {
      model: 'mistral-small',
    })
    expect(JSON.stringify(mistral)).toMatch(/"tool_call_id":"[a-zA-Z0-9]{9}"/)
  })

  test('W7 a name that no tool can have is written so that the server takes it', () => {
    expect(JSON.stringify(wire([user('go'), assistant([call('c1', '{}', 'read file!'), call('c2', '{}', '')])]))).toMatch(
      /"read_file_".*"unknown_tool"/,
    )
  })

  test('W7 a failed result says so, an empty one says that there was no output', () => {
    const history = [
      user('go'),
      assistant([call('c1'), call('c2'), call('c3')]),
      result('c1', 'no such file', true),
      result('c2', 'Error: x', true),
      result('c3', ''),
    ]
    expect(
      (wire(history) as readonly { role: string; content: string }[]).filter(({ role }) => role === 'tool').map(({ content }) => content),
    ).toEqual(['Error: no such file', 'Error: x', '(no output)'])
  })

  test('P-c01 the arguments in a request are always the JSON text of an object', () => {
    expect(argumentsOf('')).toEqual({})
    expect(argumentsOf('{"a": 1}')).toEqual({ a: 1 })
    expect(argumentsOf('```json\n{"a":1}\n```')).toEqual({ a: 1 })
    expect(argumentsOf('{"a":1,}')).toEqual({ a: 1 })
    expect(argumentsOf('please read a.txt')).toEqual({ unreadable_arguments: 'please read a.txt' })
    expect(argumentsOf('[1]')).toEqual({ unreadable_arguments: '[1]' })
    expect(argumentsOf('{"a":1}{"a":2}')).toEqual({ unreadable_arguments: '{"a":1}{"a":2}' })
    expect(argumentsOf('{"text":"cut he')).toEqual({ unreadable_arguments: '{"text":"cut he' })
    expect(argumentsOf('{"a":"\\ud83d"}')).toEqual({ a: '\uFFFD' })
    expect(argumentsOf('{"a":"\\ud83d\\ude00"}')).toEqual({ a: '😀' })
    expect(JSON.stringify(wire([user('go'), assistant([call('c1', '{"id": 12345678901234567890}')])]))).toContain('12345678901234567890')
  })
})

describe('W7 text', () => {
  test('P-b02 blank text is left out, neighbours are merged, the last text loses its trailing blanks', () => {
    const history = [
      user('Search it'),
      assistant([text('\n'), call('w-1', '{"q":"x"}', 'search')]),
      result('w-1', ''),
      assistant([text('   ')]),
      user('  '),
      user('And now?'),
      user('Really.'),
      assistant([text('The answer is  \n')]),
    ]
    expect(wire(history)).toEqual([
      { role: 'user', content: 'Search it' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'w-1', type: 'function', function: { name: 'search', arguments: '{"q":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'w-1', content: '(no output)' },
      { role: 'user', content: 'And now?\n\nReally.' },
      { role: 'assistant', content: 'The answer is' },
    ])
  })

  test('W7 two replies in a row, as after a stop, are one', () => {
    expect(wire([user('go'), assistant([text('part')]), assistant([text('rest'), call('c1')]), result('c1', 'x')])).toMatchObject([
      { content: 'go' },
      { content: 'part\n\nrest', tool_calls: [{ id: 'c1' }] },
      { tool_call_id: 'c1' },
    ])
  })

  test('W7 a history with nothing in it is still a request', () => {
    expect(wire([])).toEqual([{ role: 'user', content: '(empty message)' }])
    expect(wire([user(' ')], { system: 'x' })).toEqual([
      { role: 'system', content: 'x' },
      { role: 'user', content: '(empty message)' },
    ])
  })

  test('P-x02 half of a surrogate pair is nowhere in the request', () => {
    const half = 'x\ud83c'
    const tool = { name: 'read', description: half, parameters: { type: 'object' } }
    const history = [user(half), assistant([text(half), call('c1', `{"a":"${half}"}`)]), result('c1', half)]
    const body = write(history, { system: half, tools: [tool] })
    expect(JSON.stringify(body)).not.toMatch(/\\ud83c/)
    expect(JSON.stringify(body).match(/x\uFFFD/g)).toHaveLength(6)
  })
})

describe('W5 reasoning out', () => {
  const thought = (words: string, replay?: ContentBlock & { type: 'reasoning' } extends { replay?: infer R } ? R : never): ContentBlock =>
    replay === undefined ? { type: 'reasoning', text: words } : { type: 'reasoning', text: words, replay }
  const loop = (block: ContentBlock, provenance = HERE) => [user('go'), assistant([block, call('c1')], provenance), result('c1', 'ok')]

  test('W5 a signature goes back on its own call, to the provider and model family it came from and to no other', () => {
    const signed = (signature: string) => thought('', { thought_signature: signature })
    const turn = (from: typeof HERE) => [user('go'), assistant([signed('S1'), call('c1'), call('c2'), signed('S3'), call('c3')], from)]
    const signatures = (from: typeof HERE) => {
      const [, written] = wire(turn(from)) as readonly { tool_calls?: readonly { id: string; extra_content?: unknown }[] }[]
      return written?.tool_calls?.map(({ extra_content: extra }) => extra)
    }
    const extra = (signature: string) => ({ google: { thought_signature: signature } })
    expect(signatures(HERE)).toEqual([extra('S1'), undefined, extra('S3')])
    expect(signatures({ ...HERE, model: 'm-latest' })).toEqual([extra('S1'), undefined, extra('S3')])
    expect(signatures({ ...HERE, provider: 'q' })).toEqual([undefined, undefined, undefined])
    const ofVertex = [user('go'), assistant([thought('', { thought_signature: 'V', place: 'vertex' }), call('c1')])]
    expect(wire(ofVertex)).toMatchObject([{}, { tool_calls: [{ extra_content: { vertex: { thought_signature: 'V' } } }] }, {}])
    expect(signatures({ ...HERE, model: 'n' })).toEqual([undefined, undefined, undefined])
  })

  test('P-a12 reasoning_content goes back with its call to the model it came from, and to no other', () => {
    const block = thought('hm', { field: 'reasoning_content' })
    expect(wire(loop(block))).toMatchObject([{}, { reasoning_content: 'hm' }, {}])
    for (const other of [
      { provider: 'q', model: 'm' },
      { provider: 'p', model: 'n' },
    ]) {
      expect(JSON.stringify(wire(loop(block, other)))).not.toContain('hm')
    }
    expect(JSON.stringify(wire([user('go'), assistant([block, text('Done.')]), user('thanks')]))).not.toContain('hm')
    expect(JSON.stringify(wire(loop(thought('hm'))))).not.toContain('hm')
    expect(JSON.stringify(wire(loop(thought('hm', { field: 'tags' }))))).not.toContain('hm')
  })

  test('W5 reasoning details go back byte for byte, also with a last answer; thinking parts as parts', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'OPAQUE==', index: 0 }]
    expect(wire([user('go'), assistant([thought('', { field: 'reasoning_details', details }), text('Done.')])])).toMatchObject([
      {},
      { content: 'Done.', reasoning_details: details },
    ])
    expect(wire(loop(thought('hm', { field: 'content' })))).toMatchObject([
      {},
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
      {},
    ])
  })
})

describe('W13 what the model can do decides', () => {
  const shown = [user('What is on screen?'), assistant([call('i-1', '{}', 'screenshot'), call('i-2', '{}', 'page_title')])]
  const withPicture: Message = {
    role: 'user',
    content: [{ type: 'tool-result', toolCallId: 'i-1', content: [text('640x480'), image('b1')], isError: false }],
  }

  test('P-b03 a picture in a result comes in one user message after all results, named by its call', () => {
    expect(wire([...shown, withPicture, result('i-2', 'Inbox'), user('Well?')])).toEqual([
      expect.anything(),
      expect.anything(),
      { role: 'tool', tool_call_id: 'i-1', content: '640x480\n(A picture of this result follows in the next user message.)' },
      { role: 'tool', tool_call_id: 'i-2', content: 'Inbox' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Picture from the result of call i-1 (screenshot):' },
          { type: 'image_url', image_url: { url: 'data:,b1' } },
          { type: 'text', text: 'Well?' },
        ],
      },
    ])
  })

  test('W13 a model without sight, and a picture that is gone, get a note instead', () => {
    const blind = JSON.stringify(wire([...shown, withPicture, result('i-2', 'Inbox')], {}, { images: false }))
    expect(blind).toContain('This model cannot see pictures')
    expect(blind).not.toContain('image_url')
    expect(wire([{ role: 'user', content: [image('b9')] }], {}, {}, () => undefined)).toEqual([
      { role: 'user', content: '(A picture was withheld. It is not stored any more.)' },
    ])
    expect(wire([{ role: 'user', content: [text('Look:'), image('b1')] }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image_url', image_url: { url: 'data:,b1' } },
        ],
      },
    ])
  })

  test('W13 a model without tools gets none, and reads former calls as text', () => {
    const tool = { name: 'read', description: '', parameters: { type: 'object' } }
    const body = write(
      [user('go'), assistant([text('Reading.'), call('c1', '{"a":1}')]), result('c1', 'ok'), user('so?')],
      { tools: [tool] },
      { tools: false },
    )
    expect(body.tools).toBe(undefined)
    expect(body.messages).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'Reading.\n\n[Called read with {"a":1}]' },
      { role: 'user', content: '[Result of read]\nok\n\nso?' },
    ])
  })
})

describe('any history', () => {
  const messages = anyMessages([
    { field: 'reasoning_content' },
    { thought_signature: 'S' },
    { field: 'content' },
    { field: 'reasoning_details', details: [{ type: 'x' }] },
    null,
  ])

  test('W7 any derived messages become a request that the strictest server accepts', () => {
    fc.assert(
      fc.property(messages, anyInfo, fc.constantFrom('m', 'mistral-small'), (any, known, model) => {
        const body = write(any, { model, system: 's' }, known, (blob) => (blob === 'gone' ? undefined : 'data:,x'))
        expect(JSON.stringify(write(any, { model, system: 's' }, known, (blob) => (blob === 'gone' ? undefined : 'data:,x')))).toBe(
          JSON.stringify(body),
        )
      }),
      { numRuns: 1000 },
    )
  })
})

describe('the history checker', () => {
  const bad = (...messages: readonly object[]) => openaiHistoryProblems({ messages }).join(' · ')
  const calls = (...ids: readonly string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((value) => ({ id: value, type: 'function', function: { name: 'read', arguments: '{}' } })),
  })
  const said = { role: 'user', content: 'a' }
  test.each([
    ['a result without its call', bad(said, { role: 'tool', tool_call_id: 'x', content: 'a' })],
    ['a call without its result', bad(said, calls('a'))],
    ['something between a call and its result', bad(said, calls('a'), said, { role: 'tool', tool_call_id: 'a', content: 'a' })],
    [
      'results in another order',
      bad(said, calls('a', 'b'), { role: 'tool', tool_call_id: 'b', content: 'a' }, { role: 'tool', tool_call_id: 'a', content: 'a' }),
    ],
    [
      'an id used twice',
      bad(said, calls('a', 'a'), { role: 'tool', tool_call_id: 'a', content: 'a' }, { role: 'tool', tool_call_id: 'a', content: 'a' }),
    ],
    ['a blank user message', bad({ role: 'user', content: ' ' })],
    ['a blank assistant message', bad(said, { role: 'assistant', content: '' })],
    ['two user messages in a row', bad(said, said)],
    ['a picture in a result', bad(said, calls('a'), { role: 'tool', tool_call_id: 'a', content: [{ type: 'image_url' }] })],
    ['trailing blanks at the end', bad(said, { role: 'assistant', content: 'a ' })],
    ['half of a pair', bad({ role: 'user', content: '\ud800' })],
    [
      'half of a pair behind an escape',
      bad(
        said,
        { ...calls(), tool_calls: [{ id: 'a', type: 'function', function: { name: 'r', arguments: '{"a":"\\ud800"}' } }] },
        { role: 'tool', tool_call_id: 'a', content: 'a' },
      ),
    ],
    ['an unknown key', bad({ ...said, name: 'x' })],
    ['a late system message', bad(said, { role: 'system', content: 'a' })],
    ['nothing', bad()],
  ])('K6 it notices %s', (_, problems) => {
    expect(problems).not.toBe('')
  })
})
