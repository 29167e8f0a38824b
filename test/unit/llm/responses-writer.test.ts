// Requests out to OpenAI Responses (W7, W5, W13): items, outputs, reasoning, schemas; and that any history is accepted.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ContentBlock, Json, JsonObject, Message } from '../../../src/storage/log/content.ts'
import type { LlmRequest } from '../../../src/worker/hooks/llm.ts'
import { type WriteOptions, writeResponsesRequest } from '../../../src/worker/llm/wire/openai-responses/write-request.ts'
import { responsesHistoryProblems } from '../../kit/responses-history-checker.ts'
import { anyInfo, anyMessages, anyPicture } from './any-messages.ts'

const HERE = { provider: 'p', model: 'm' }
const text = (words: string): ContentBlock => ({ type: 'text', text: words })
const user = (...texts: readonly string[]): Message => ({ role: 'user', content: texts.map(text) })
const assistant = (content: readonly ContentBlock[], provenance = HERE): Message => ({ role: 'assistant', content, provenance })
const call = (id: string, args = '{}', name = 'read'): ContentBlock => ({ type: 'tool-call', id, name, arguments: args })
const result = (id: string, content: readonly ContentBlock[], isError = false): Message => ({
  role: 'user',
  content: [{ type: 'tool-result', toolCallId: id, content, isError }],
})
const thought = (words: string, item: string, more: { readonly [key: string]: Json } = {}): ContentBlock => ({
  type: 'reasoning',
  text: words,
  replay: { item, form: 'summary', ...more },
})

const write = (messages: readonly Message[], more: Partial<LlmRequest> = {}, options: WriteOptions = { picture: anyPicture }) => {
  const body = writeResponsesRequest({ ...HERE, messages, ...more }, options)
  expect(responsesHistoryProblems(body)).toEqual([])
  return body
}
const input = (...args: Parameters<typeof write>) => write(...args).input as readonly JsonObject[]
const said = (words: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] })

describe('the request body', () => {
  test('W7 only what was asked for is in it, and nothing is to be stored', () => {
    expect(write([user('hi')])).toEqual({ model: 'm', input: [said('hi')], store: false, stream: true })
    const tool = { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } }
    expect(write([user('hi')], { system: 'Be brief.', tools: [tool], temperature: 0, maxTokens: 99 })).toEqual({
      model: 'm',
      instructions: 'Be brief.',
      input: [said('hi')],
      tools: [{ type: 'function', ...tool, strict: false }],
      temperature: 0,
      max_output_tokens: 99,
      store: false,
      stream: true,
    })
    expect(write([user('hi')], { system: ' ' })).not.toHaveProperty('instructions')
  })

  test('W5 a model that reasons is asked for its encrypted reasoning, another would refuse the whole request', () => {
    const include = (model: string, effort?: string) => write([user('a')], { model, ...(effort === undefined ? {} : { effort }) }).include
    const models = ['gpt-5', 'gpt-5-mini-2025-08-07', 'openai/gpt-6', 'o4-mini', 'codex-mini-latest', 'gpt-oss:20b', 'grok-4']
    for (const model of models) expect(include(model)).toEqual(['reasoning.encrypted_content'])
    for (const model of ['gpt-4o', 'gpt-4.1-mini', 'gpt-5-chat-latest', 'llama-3']) expect(include(model)).toBe(undefined)
    expect(include('my-model', 'low')).toEqual(['reasoning.encrypted_content'])
  })

  test('W13 effort is the server’s own word; a summary is asked for only where the application says so', () => {
    expect(write([user('a')], { model: 'gpt-5', effort: 'low' }).reasoning).toEqual({ effort: 'low' })
    expect(write([user('a')], { model: 'gpt-5' }, { summary: 'auto' }).reasoning).toEqual({ summary: 'auto' })
    expect(write([user('a')], { model: 'gpt-5' })).not.toHaveProperty('reasoning')
  })

  test('W7 the parameters of a tool are one object for the server, whatever they are', () => {
    const parameters = {
      anyOf: [
        { type: 'object', properties: { a: {} } },
        { type: 'object', properties: { b: {} } },
      ],
    }
    const { tools } = write([user('hi')], { tools: [{ name: 'read', description: 'Reads.', parameters }] })
    expect(JSON.stringify(tools)).toContain('{"type":"object","properties":{"a":{},"b":{}}}')
  })

  test('W7 the derived messages are not changed by writing them', () => {
    const messages = [user('a', ' '), assistant([thought('hm', 'rs_1'), call('c 1', 'no json')]), assistant([text('end  ')])]
    const before = structuredClone(messages)
    write(messages)
    expect(messages).toEqual(before)
  })
})

describe('W7 items', () => {
  test('P-b01 outputs stand directly after the calls; what the person said behind them', () => {
    const history = [
      user('Compare.'),
      assistant([text('Reading.'), call('h-1', '{"path":"a"}'), call('h-2')]),
      user('Go on.'),
      result('h-1', [text('alpha')]),
    ]
    expect(input(history)).toEqual([
      said('Compare.'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Reading.' }] },
      { type: 'function_call', call_id: 'h-1', name: 'read', arguments: '{"path":"a"}' },
      { type: 'function_call', call_id: 'h-2', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'h-1', output: 'alpha' },
      { type: 'function_call_output', call_id: 'h-2', output: expect.stringContaining('interrupted') },
      said('Go on.'),
    ])
  })

  test('P-b03 pictures of results come in one user message after all outputs', () => {
    const shown = [user('Look.'), assistant([call('i-1'), call('i-2')])]
    const picture: ContentBlock = { type: 'image', blob: 'b1', mediaType: 'image/png' }
    expect(input([...shown, result('i-1', [text('one'), picture]), result('i-2', [text('two')])]).slice(3)).toEqual([
      { type: 'function_call_output', call_id: 'i-1', output: 'one\n(A picture of this result follows in the next user message.)' },
      { type: 'function_call_output', call_id: 'i-2', output: 'two' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Picture from the result of call i-1 (read):' },
          { type: 'input_image', image_url: 'data:image/png;base64,eA==', detail: 'auto' },
        ],
      },
    ])
    expect(JSON.stringify(input([{ role: 'user', content: [picture] }], {}, { info: { images: false } }))).toContain('cannot see pictures')
  })

  test('W13 a model without tools gets none, and reads former calls as text', () => {
    const tool = { name: 'read', description: '', parameters: { type: 'object' } }
    const body = write([user('go'), assistant([call('c1')]), result('c1', [text('ok')])], { tools: [tool] }, { info: { tools: false } })
    expect(body).not.toHaveProperty('tools')
    expect(JSON.stringify(body.input)).toContain('[Result of read]')
  })

  test('W7 a history with nothing in it is still a request', () => {
    expect(input([])).toEqual([said('(empty message)')])
  })
})

describe('W5 reasoning out', () => {
  const loop = (...blocks: readonly ContentBlock[]) => [user('go'), assistant([...blocks, call('c1')]), result('c1', [text('ok')])]
  const types = (messages: readonly Message[], more: Partial<LlmRequest> = {}) => input(messages, more).map(({ type }) => type)
  const item = { type: 'reasoning', id: 'rs_1' }

  test('W5 the blocks of one item go back as one, with its id and its encrypted content, byte for byte', () => {
    const blocks = [
      thought('One. ', 'rs_1'),
      thought('Two.', 'rs_1', { encrypted_content: 'ENC==' }),
      thought('', 'rs_2', { encrypted_content: 'E2' }),
    ]
    expect(input(loop(...blocks)).slice(1, 3)).toEqual([
      {
        ...item,
        summary: [
          { type: 'summary_text', text: 'One. ' },
          { type: 'summary_text', text: 'Two.' },
        ],
        encrypted_content: 'ENC==',
      },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'E2' },
    ])
  })

  test('W5 an item that would have to be changed to be sent stays away', () => {
    expect(types(loop(thought('half \ud83c', 'rs_1', { encrypted_content: 'E' })))).not.toContain('reasoning')
  })

  test('W5 two items without ids stay two', () => {
    const blocks = [thought('', '', { encrypted_content: 'A' }), thought('', '', { encrypted_content: 'B' })]
    expect(input(loop(...blocks)).slice(1, 3)).toMatchObject([{ encrypted_content: 'A' }, { encrypted_content: 'B' }])
  })

  test('W7 what was said stands before the calls, each behind its reasoning', () => {
    const blocks = [call('c0'), thought('', 'rs_1', { encrypted_content: 'E' }), text('So.')]
    const written = input([user('go'), assistant(blocks), result('c0', [text('ok')])])
    expect(written.map(({ type }) => type)).toEqual(['message', 'reasoning', 'message', 'function_call', 'function_call_output'])
  })

  test('W5 without encrypted content an item of OpenAI is in no store, and stays away; the plain thoughts of an open model go back in a tool loop', () => {
    expect(types(loop(thought('hm', 'rs_1')))).not.toContain('reasoning')
    const open = thought('hm', 'rs_1', { form: 'content' })
    expect(input(loop(open))[1]).toEqual({ ...item, summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] })
    expect(types([user('go'), assistant([open, text('Yes.')]), user('and?')])).not.toContain('reasoning')
  })

  test('W5 only the family of models that reasoned gets it back', () => {
    const history = (model: string) => [
      user('go'),
      assistant([thought('', 'rs_1', { encrypted_content: 'E' }), text('Yes.')], { provider: 'p', model }),
      user('and?'),
    ]
    expect(types(history('gpt-5-2025-08-07'), { model: 'gpt-5' })).toContain('reasoning')
    expect(types(history('gpt-5'), { model: 'gpt-5-mini' })).not.toContain('reasoning')
    expect(types(history('gpt-5'), { model: 'gpt-5', provider: 'q' })).not.toContain('reasoning')
    const foreign: ContentBlock = { type: 'reasoning', text: 'hm', replay: { type: 'thinking', signature: 'c2ln' } }
    expect(types(loop(foreign))).not.toContain('reasoning')
  })

  test('W7 between two calls no reasoning stands, for their outputs follow them all', () => {
    const blocks = [call('c0'), thought('', 'rs_2', { encrypted_content: 'E' }), call('c1')]
    expect(types([user('go'), assistant(blocks), result('c0', [text('a')]), result('c1', [text('b')])])).toEqual([
      'message',
      ...['function_call', 'function_call', 'function_call_output', 'function_call_output'],
    ])
  })

  test('W5 reasoning that led to nothing stays away: it must have the item that followed', () => {
    const after = [user('go'), assistant([text('Yes.'), thought('', 'rs_1', { encrypted_content: 'E' })]), user('and?')]
    expect(types(after)).not.toContain('reasoning')
  })
})

describe('any history', () => {
  const replays: readonly Json[] = [
    { item: 'rs_1', form: 'summary' },
    { item: 'rs_1', form: 'summary', encrypted_content: 'E' },
    { item: 'rs_2', form: 'content' },
    { item: '', form: 'content', encrypted_content: 'F' },
    { type: 'thinking', signature: 'c2ln' },
    null,
  ]
  test('W7 any derived messages become a request that the strictest server accepts, always the same', () => {
    fc.assert(
      fc.property(anyMessages(replays), anyInfo, (messages, info) => {
        const options = { info, picture: anyPicture }
        const body = write(messages, { system: 's' }, options)
        expect(JSON.stringify(write(messages, { system: 's' }, options))).toBe(JSON.stringify(body))
      }),
      { numRuns: 300 },
    )
  })
})

describe('the history checker', () => {
  const bad = (...items: readonly object[]) => responsesHistoryProblems({ store: false, input: items }).join(' · ')
  const withBody = (more: object) => responsesHistoryProblems({ store: false, input: [said('a')], ...more }).join(' · ')
  const fn = (id: string, more: object = {}) => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}', ...more })
  const out = (id: string, output = 'a') => ({ type: 'function_call_output', call_id: id, output })
  const rs = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'E' }
  const reply = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }

  test('K6 it accepts a good history', () => {
    expect([bad(said('a')), bad(said('a'), rs, fn('a'), rs, fn('b'), out('b'), out('a'), reply)]).toEqual(['', ''])
  })
  test.each([
    ['something stored', responsesHistoryProblems({ input: [said('a')] }).join()],
    ['an unknown parameter', withBody({ stop: ['x'] })],
    ['blank instructions', withBody({ instructions: ' ' })],
    ['nothing', bad()],
    ['a call without output', bad(said('a'), fn('a'))],
    ['an output without call', bad(said('a'), out('a'))],
    ['something between a call and its output', bad(fn('a'), said('b'), out('a'))],
    ['a call between outputs', bad(fn('a'), fn('b'), out('a'), fn('c'), out('b'), out('c'))],
    ['an id used twice', bad(fn('a'), out('a'), fn('a'), out('a'))],
    ['an id outside the alphabet', bad(fn('a b'), out('a b'))],
    ['arguments that are an object', bad(fn('a', { arguments: {} }), out('a'))],
    ['a blank output', bad(fn('a'), out('a', ' '))],
    ['a blank text', bad(said(' '))],
    ['input text in a reply', bad({ ...said('a'), role: 'assistant' })],
    ['reasoning that is in no store', bad({ ...rs, encrypted_content: undefined }, reply)],
    ['reasoning without what followed it', bad(rs, said('a'))],
    ['an item of no known type', bad({ type: 'item_reference', id: 'rs' })],
    ['an unknown key of an item', bad({ ...reply, phase: 'x' })],
    ['trailing blanks at the end', bad({ ...reply, content: [{ type: 'output_text', text: 'a ' }] })],
    ['half of a pair', bad(said('\ud800'))],
    ['a strict schema', withBody({ tools: [{ type: 'function', name: 'a', parameters: { type: 'object' } }] })],
    [
      'a choice at the top of a schema',
      withBody({ tools: [{ type: 'function', name: 'a', strict: false, parameters: { type: 'object', oneOf: [] } }] }),
    ],
  ])('K6 it notices %s', (_, problems) => {
    expect(problems).not.toBe('')
  })
})
