// Requests out to Anthropic (W7, W5, W13): turns, results, thinking, schemas, effort; and that any history is accepted.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ContentBlock, Json, JsonObject, Message } from '../../../src/storage/log/content.ts'
import type { LlmRequest, ModelInfo } from '../../../src/worker/hooks/llm.ts'
import { modelFamily } from '../../../src/worker/llm/model-family.ts'
import { writeAnthropicRequest } from '../../../src/worker/llm/wire/anthropic/write-request.ts'
import { objectSchema } from '../../../src/worker/llm/wire/object-schema.ts'
import { anthropicHistoryProblems } from '../../kit/anthropic-history-checker.ts'
import { anyInfo, anyMessages, anyPicture } from './any-messages.ts'

const CLAUDE = 'claude-sonnet-4-5-20250929'
const HERE = { provider: 'p', model: 'm' }
const text = (words: string): ContentBlock => ({ type: 'text', text: words })
const user = (...texts: readonly string[]): Message => ({ role: 'user', content: texts.map(text) })
const assistant = (content: readonly ContentBlock[], provenance = HERE): Message => ({ role: 'assistant', content, provenance })
const call = (id: string, args = '{}', name = 'read'): ContentBlock => ({ type: 'tool-call', id, name, arguments: args })
const result = (id: string, content: readonly ContentBlock[], isError = false): Message => ({
  role: 'user',
  content: [{ type: 'tool-result', toolCallId: id, content, isError }],
})
const thinking = (words: string, signature = 'c2ln'): ContentBlock => ({
  type: 'reasoning',
  text: words,
  replay: { type: 'thinking', signature },
})
const image = (blob: string, mediaType = 'image/png'): ContentBlock => ({ type: 'image', blob, mediaType })

const write = (messages: readonly Message[], more: Partial<LlmRequest> = {}, info: ModelInfo = {}, picture = anyPicture) => {
  const body = writeAnthropicRequest({ ...HERE, messages, ...more }, { info, picture })
  expect(anthropicHistoryProblems(body)).toEqual([])
  return body
}
type Wire = { role: string; content: readonly JsonObject[] }
const wire = (...args: Parameters<typeof write>) => write(...args).messages as readonly Wire[]

describe('the request body', () => {
  test('W7 only what was asked for is in it, and the limit that the vendor requires', () => {
    expect(write([user('hi')])).toEqual({
      model: 'm',
      max_tokens: 8192,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      stream: true,
    })
    const tool = { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } }
    expect(write([user('hi')], { system: 'Be brief.', tools: [tool], temperature: 0, maxTokens: 9, stop: ['x', ' '] })).toEqual({
      model: 'm',
      max_tokens: 9,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      tools: [{ name: 'read', description: 'Reads.', input_schema: tool.parameters }],
      temperature: 0,
      stop_sequences: ['x'],
      stream: true,
    })
  })

  test('W7 a known model’s limit is used, but the window is not given away to one reply', () => {
    expect(write([user('hi')], {}, { maxOutput: 4096 }).max_tokens).toBe(4096)
    expect(write([user('hi')], {}, { maxOutput: 128_000 }).max_tokens).toBe(32_000)
  })

  test('W7 Claude is told what to keep in its cache: the instructions, and all up to the newest message', () => {
    const body = write([user('a'), assistant([text('b')]), user('c')], { model: CLAUDE, system: 's' })
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(body.system).toEqual([{ type: 'text', text: 's', ...mark }])
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
      { role: 'user', content: [{ type: 'text', text: 'c', ...mark }] },
    ])
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
    const messages = [user('a', ' '), assistant([thinking('hm'), call('c 1', 'no json')]), assistant([text('end  ')])]
    const before = structuredClone(messages)
    write(messages)
    expect(messages).toEqual(before)
  })
})

describe('W7 turns', () => {
  test('P-b01 results stand first in the message after their calls, what the person said behind them', () => {
    const history = [
      user('Compare.'),
      assistant([text('Reading.'), call('h-1', '{"path":"a"}'), call('h-2')]),
      result('h-1', [text('alpha')]),
    ]
    expect(wire([...history, user('Go on.')])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Compare.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Reading.' },
          { type: 'tool_use', id: 'h-1', name: 'read', input: { path: 'a' } },
          { type: 'tool_use', id: 'h-2', name: 'read', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'h-1', content: [{ type: 'text', text: 'alpha' }] },
          {
            type: 'tool_result',
            tool_use_id: 'h-2',
            content: [{ type: 'text', text: expect.stringContaining('interrupted') }],
            is_error: true,
          },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ])
  })

  test('P-b02 a begun reply loses its trailing blanks; the newer Claude gets a word of the user after it', () => {
    const history = [user('Count.'), assistant([text('The answer is  \n')])]
    expect(wire(history).at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'The answer is' }] })
    expect(wire(history, { model: 'claude-opus-4-6' }).at(-1)).toMatchObject({ role: 'user' })
    expect(wire(history, { model: CLAUDE, effort: 'low' }).at(-1)).toMatchObject({ role: 'user' })
    expect(wire(history, { model: CLAUDE }).at(-1)).toMatchObject({ role: 'assistant' })
  })

  test('W7 the first word is the user’s, also where there is none', () => {
    expect(wire([]).map(({ role }) => role)).toEqual(['user'])
    expect(wire([assistant([text('Hello.')]), user('Hi.')]).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(write([user('hi')], { system: ' ' }).system).toBe(undefined)
  })

  test('W7 arguments are an object; unreadable ones a stand-in; long integers keep their digits', () => {
    const inputs = wire([
      user('go'),
      assistant([call('a', 'no json'), call('b', '{"id": 12345678901234567890}'), call('c', '{"__proto__":1}')]),
    ])
      .flatMap(({ content }) => content)
      .flatMap((block) => (block.type === 'tool_use' ? [JSON.stringify(block.input)] : []))
    expect(inputs).toEqual(['{"unreadable_arguments":"no json"}', '{"id":"12345678901234567890"}', '{"__proto__":1}'])
  })

  test('P-b03 a picture stays in its result; one in a failed result, whose content may be text only, follows the results', () => {
    const shown = [user('Look.'), assistant([call('i-1'), call('i-2')])]
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'eA==' } }
    expect(
      wire([...shown, result('i-1', [text('one'), image('b1')]), result('i-2', [text('Error: two'), image('b1')], true)]).at(-1),
    ).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'i-1', content: [{ type: 'text', text: 'one' }, picture] },
        {
          type: 'tool_result',
          tool_use_id: 'i-2',
          content: [
            { type: 'text', text: 'Error: two' },
            { type: 'text', text: '(A picture of this result follows.)' },
          ],
          is_error: true,
        },
        { type: 'text', text: 'Picture from the result of call i-2 (read):' },
        picture,
      ],
    })
  })

  test('W13 no pictures to a model without sight, none in a form that the vendor does not read, none that is gone', () => {
    const shown = (info: ModelInfo, find: typeof anyPicture) =>
      JSON.stringify(wire([{ role: 'user', content: [image('b1')] }], {}, info, find))
    expect(shown({ images: false }, anyPicture)).toContain('cannot see pictures')
    expect(shown({}, () => 'data:image/svg+xml;base64,eA==')).toContain('does not read image/svg+xml')
    expect(shown({}, () => undefined)).toContain('not stored any more')
    expect(shown({}, () => 'https://pictures.example/a.png')).toContain('"type":"url"')
  })

  test('W13 a model without tools gets none, and reads former calls as text', () => {
    const tool = { name: 'read', description: '', parameters: { type: 'object' } }
    const body = write([user('go'), assistant([call('c1', '{"a":1}')]), result('c1', [text('ok')])], { tools: [tool] }, { tools: false })
    expect(body.tools).toBe(undefined)
    expect(JSON.stringify(body.messages)).toContain('[Called read with')
    expect(JSON.stringify(body.messages)).not.toContain('tool_use')
  })
})

describe('W5 thinking out', () => {
  const redacted: ContentBlock = { type: 'reasoning', text: '', replay: { type: 'redacted_thinking', data: 'OPAQUE==' } }
  const claude = { provider: 'p', model: CLAUDE }
  const types = (messages: readonly Message[], more: Partial<LlmRequest> = {}) =>
    wire(messages, { model: CLAUDE, ...more })
      .filter(({ role }) => role === 'assistant')
      .map(({ content }) => content.map(({ type }) => type))

  test('P-a13 thinking and redacted blocks go back byte for byte, first, in order', () => {
    const [, reply] = wire([user('go'), assistant([thinking('First, list. '), redacted, text('Looking.'), call('c1')], claude)], {
      model: CLAUDE,
    })
    expect(reply?.content).toEqual([
      { type: 'thinking', thinking: 'First, list. ', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'OPAQUE==' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'c1', name: 'read', input: {} },
    ])
  })

  test('W5 only the family of models that thought gets it back; a dated name is its family', () => {
    const history = [user('go'), assistant([thinking('hm'), text('Yes.')], claude), user('and?')]
    expect(types(history)).toEqual([['thinking', 'text']])
    expect(types(history, { model: 'claude-sonnet-4-5' })).toEqual([['thinking', 'text']])
    expect(types(history, { model: 'claude-opus-4-5' })).toEqual([['text']])
    expect(types(history, { provider: 'q' })).toEqual([['text']])
    expect(['gpt-5-2025-08-07', 'gpt-5', 'm:latest', 'claude-x@20250101'].map(modelFamily)).toEqual(['gpt-5', 'gpt-5', 'm', 'claude-x'])
  })

  test('W5 thinking that a stop cut before its signature, and that of other vendors, stays away from Claude', () => {
    const other: ContentBlock = { type: 'reasoning', text: 'hm', replay: { field: 'reasoning_content' } }
    expect(types([user('go'), assistant([thinking('hm', ''), other, text('Yes.')], claude), user('and?')])).toEqual([['text']])
  })

  test('W5 a server that signs nothing gets its thinking back inside a tool loop, and only there', () => {
    const loop = [user('go'), assistant([thinking('hm', ''), call('c1')]), result('c1', [text('ok')])]
    expect(wire(loop)[1]?.content[0]).toEqual({ type: 'thinking', thinking: 'hm', signature: '' })
    expect(wire([user('go'), assistant([thinking('hm', ''), text('Yes.')]), user('and?')])[1]?.content).toEqual([
      { type: 'text', text: 'Yes.' },
    ])
  })

  test('W5 blocks of one reply keep their order, for a signature holds at its place only', () => {
    const reply = assistant([text('Let me look.'), thinking('hm'), call('c1'), thinking('so'), call('c2')], claude)
    expect(types([user('go'), reply, result('c1', [text('ok')]), result('c2', [text('ok')])])).toEqual([
      ['text', 'thinking', 'tool_use', 'thinking', 'tool_use'],
    ])
  })

  test('W5 after a stop, thinking of the reply that went on still stands first', () => {
    expect(types([user('go'), assistant([text('So')], claude), assistant([thinking('hm'), text('far.')], claude), user('ok')])).toEqual([
      ['thinking', 'text', 'text'],
    ])
  })

  test('W5 a tool loop that began without thinking goes on without it, where thinking has a budget', () => {
    const loop = [user('go'), assistant([call('c1')], { provider: 'q', model: 'x' }), result('c1', [text('ok')])]
    expect(write(loop, { model: CLAUDE, effort: 'high' }).thinking).toBe(undefined)
    expect(write([...loop, assistant([text('Done.')]), user('next')], { model: CLAUDE, effort: 'high' }).thinking).toBeDefined()
    expect(write(loop, { model: 'claude-opus-4-6', effort: 'high' }).thinking).toMatchObject({ type: 'adaptive' })
  })
})

describe('W13 effort', () => {
  const asked = (model: string, effort: string, more: Partial<LlmRequest> = {}) => {
    const { thinking: how, output_config: config, temperature } = write([user('a')], { model, effort, ...more })
    return { how, config, temperature }
  }
  test('W13 effort is a level from Claude 4.6 on, a number of tokens before and elsewhere, nothing before Claude 3.7', () => {
    for (const model of [
      'claude-opus-4-6',
      'claude-opus-5',
      'claude-sonnet-5-5-20260901',
      'anthropic/claude-opus-4.7',
      'claude-mythos-preview',
    ]) {
      expect(asked(model, 'max')).toMatchObject({ how: { type: 'adaptive', display: 'summarized' }, config: { effort: 'max' } })
    }
    for (const model of [CLAUDE, 'claude-opus-4-1', 'claude-sonnet-4-20250514', 'claude-3-7-sonnet-latest', 'kimi-k2']) {
      expect(asked(model, 'low', { maxTokens: 32_000 })).toMatchObject({ how: { type: 'enabled', budget_tokens: 4096 }, config: undefined })
    }
    expect(asked('claude-3-5-sonnet-20241022', 'low').how).toBe(undefined)
    expect(asked(CLAUDE, 'none').how).toEqual({ type: 'disabled' })
  })

  test('W5 what Claude 5 thinks without being asked is shown', () => {
    expect(write([user('a')], { model: 'claude-opus-5-5' })).toMatchObject({ thinking: { type: 'adaptive', display: 'summarized' } })
    for (const model of ['claude-opus-4-6', CLAUDE, 'm']) expect(write([user('a')], { model })).not.toHaveProperty('thinking')
  })

  test('W13 the budget leaves room for the answer, and is left out where there is none', () => {
    expect(asked(CLAUDE, 'high', { maxTokens: 8000 }).how).toEqual({ type: 'enabled', budget_tokens: 4000 })
    expect(asked(CLAUDE, 'high', { maxTokens: 1500 }).how).toBe(undefined)
  })

  test('W13 a temperature is left out where the model refuses it', () => {
    expect(asked(CLAUDE, 'low', { temperature: 0.2 }).temperature).toBe(undefined)
    expect(write([user('a')], { model: 'claude-opus-5', temperature: 0.2 }).temperature).toBe(undefined)
    expect(write([user('a')], { model: CLAUDE, temperature: 0.2 }).temperature).toBe(0.2)
  })
})

describe('the parameters of a tool', () => {
  test('W7 a choice at the top becomes one object with the properties of all, required is what every choice requires', () => {
    const a = { type: 'object', properties: { x: { type: 'string' }, y: { type: 'number' } }, required: ['x', 'y'] }
    const b = { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] }
    expect(objectSchema({ description: 'd', anyOf: [a, b] })).toEqual({
      description: 'd',
      type: 'object',
      properties: a.properties,
      required: ['x'],
    })
    expect(objectSchema({ allOf: [a, { properties: { z: {} }, required: ['z'] }] })).toMatchObject({ required: ['x', 'y', 'z'] })
    expect(objectSchema({})).toEqual({ type: 'object', properties: {} })
    expect(objectSchema(a)).toBe(a)
    expect(JSON.stringify(objectSchema(JSON.parse('{"oneOf":[{"properties":{"__proto__":{"type":"string"}}}]}')))).toContain('__proto__')
  })
})

describe('any history', () => {
  const replays: readonly Json[] = [
    { type: 'thinking', signature: 'c2ln' },
    { type: 'thinking', signature: '' },
    { type: 'redacted_thinking', data: 'x' },
    { field: 'reasoning_content' },
    null,
  ]
  test('W7 any derived messages become a request that Anthropic accepts, always the same', () => {
    const efforts = fc.constantFrom('low', 'max', 'none', undefined)
    // As if Claude had said it all: the made-up names of the messages become one of its own.
    const models = fc.constantFrom('m', CLAUDE, 'claude-opus-5-5')
    fc.assert(
      fc.property(anyMessages(replays), anyInfo, efforts, models, (messages, info, effort, model) => {
        const spoken = messages.map((message) =>
          message.role === 'assistant' && message.provenance.model === 'm' ? { ...message, provenance: { provider: 'p', model } } : message,
        )
        const more = { model, system: 's', ...(effort === undefined ? {} : { effort }) }
        const body = write(spoken, more, info)
        expect(JSON.stringify(write(spoken, more, info))).toBe(JSON.stringify(body))
      }),
      { numRuns: 300 },
    )
  })
})

describe('the history checker', () => {
  const bad = (...messages: readonly object[]) => anthropicHistoryProblems({ max_tokens: 9000, messages }).join(' · ')
  const withBody = (more: object) => anthropicHistoryProblems({ max_tokens: 9000, messages: [said], ...more }).join(' · ')
  const said = { role: 'user', content: 'a' }
  const calls = (...ids: readonly string[]) => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'read', input: {} })),
  })
  const answers = (...blocks: readonly object[]) => ({ role: 'user', content: blocks })
  const answer = (id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'a', ...more })
  const ok = [said, calls('a'), answers(answer('a'))]

  test('K6 it accepts a good history', () => {
    expect([bad(said), bad(...ok), bad(...ok, { role: 'assistant', content: 'b' })]).toEqual(['', '', ''])
  })
  test.each([
    ['no limit', anthropicHistoryProblems({ messages: [said] }).join()],
    ['an unknown key', withBody({ top: 1 })],
    ['nothing', bad()],
    ['a reply as the first word', bad({ role: 'assistant', content: 'a' })],
    ['two user messages in a row', bad(said, said)],
    ['blank text', bad({ role: 'user', content: [{ type: 'text', text: ' ' }] })],
    ['an empty message', bad({ role: 'user', content: [] })],
    ['a blank system', withBody({ system: ' ' })],
    ['a call without its result', bad(said, calls('a'))],
    ['a result without its call', bad(answers(answer('a')))],
    ['a result too few', bad(said, calls('a', 'b'), answers(answer('a')))],
    ['a result twice', bad(said, calls('a'), answers(answer('a'), answer('a')))],
    ['text before the results', bad(said, calls('a'), answers({ type: 'text', text: 'b' }, answer('a')))],
    ['an id used twice', bad(...ok, calls('a'), answers(answer('a')))],
    ['an id outside the alphabet', bad(said, calls('a b'), answers(answer('a b')))],
    [
      'arguments as text',
      bad(said, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'r', input: '{}' }] }, answers(answer('a'))),
    ],
    [
      'a picture in a failed result',
      bad(
        said,
        calls('a'),
        answers(
          answer('a', { is_error: true, content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'eA==' } }] }),
        ),
      ),
    ],
    ['a picture of a wrong type', bad(answers({ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'eA==' } }))],
    ['thinking without signature', bad(said, { role: 'assistant', content: [{ type: 'thinking', thinking: 'a' }] })],
    [
      'a loop that began without thinking',
      withBody({ model: 'claude-x', messages: ok, thinking: { type: 'enabled', budget_tokens: 2000 } }),
    ],
    ['trailing blanks at the end', bad(said, { role: 'assistant', content: 'a ' })],
    ['half of a pair', bad({ role: 'user', content: '\ud800' })],
    ['a schema with a choice at the top', withBody({ tools: [{ name: 'a', input_schema: { type: 'object', anyOf: [] } }] })],
    ['a budget above the limit', withBody({ thinking: { type: 'enabled', budget_tokens: 9000 } })],
    ['a temperature beside a budget', withBody({ temperature: 0, thinking: { type: 'enabled', budget_tokens: 2000 } })],
  ])('K6 it notices %s', (_, problems) => {
    expect(problems).not.toBe('')
  })
})
