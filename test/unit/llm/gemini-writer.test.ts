// Requests out to Gemini (W7, W5, W13): turns, results, signatures, the subset of schemas, thinking levels; and that any history is accepted.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ContentBlock, Json, JsonObject, Message } from '../../../src/storage/log/content.ts'
import type { LlmRequest } from '../../../src/worker/hooks/llm.ts'
import { type GeminiWriteOptions, writeGeminiRequest } from '../../../src/worker/llm/wire/gemini/write-request.ts'
import { writeParameters } from '../../../src/worker/llm/wire/gemini/write-schema.ts'
import { geminiHistoryProblems } from '../../kit/gemini-history-checker.ts'
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
const signature = (part: string, words = ''): ContentBlock => ({
  type: 'reasoning',
  text: words,
  replay: { part, thoughtSignature: `sig-${part}` },
})

const write = (messages: readonly Message[], more: Partial<LlmRequest> = {}, options: GeminiWriteOptions = { picture: anyPicture }) => {
  const body = writeGeminiRequest({ ...HERE, messages, ...more }, options)
  expect(geminiHistoryProblems(body)).toEqual([])
  return body
}
const contents = (...args: Parameters<typeof write>) => write(...args).contents as readonly { role: string; parts: readonly JsonObject[] }[]

describe('the request body', () => {
  test('W7 only what was asked for is in it', () => {
    expect(write([user('hi')])).toEqual({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })
    const tools = [
      { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
      { name: 'now', description: 'The time.', parameters: { type: 'object', properties: {} } },
    ]
    expect(write([user('hi')], { system: 'Be brief.', tools, temperature: 0, maxTokens: 9, stop: ['1', '2', '3', '4', '5', '6'] })).toEqual(
      {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
        tools: [{ functionDeclarations: [tools[0], { name: 'now', description: 'The time.' }] }],
        generationConfig: { temperature: 0, maxOutputTokens: 9, stopSequences: ['1', '2', '3', '4', '5'] },
      },
    )
  })

  test('W13 effort is a level from Gemini 3 on, a budget before, and nothing for models that do not think', () => {
    const thinking = (model: string, effort?: string) =>
      (write([user('a')], { model, ...(effort === undefined ? {} : { effort }) }).generationConfig as JsonObject | undefined)
        ?.thinkingConfig
    expect(thinking('gemini-3-pro-preview', 'low')).toEqual({ includeThoughts: true, thinkingLevel: 'low' })
    expect(thinking('gemini-3.5-flash')).toEqual({ includeThoughts: true })
    expect(thinking('gemini-2.5-flash', 'medium')).toEqual({ includeThoughts: true, thinkingBudget: 8192 })
    expect(thinking('gemini-2.5-flash', 'none')).toEqual({ includeThoughts: false, thinkingBudget: 0 })
    expect(thinking('gemini-2.5-pro', 'none')).toEqual({ includeThoughts: true, thinkingBudget: 128 })
    for (const model of ['gemini-2.0-flash', 'gemma-3-27b-it', 'gemini-2.5-flash-image']) expect(thinking(model, 'low')).toBe(undefined)
  })

  test('W7 roles take turns, the first and the last are the person’s, whatever the log holds', () => {
    expect(contents([])).toEqual([{ role: 'user', parts: [{ text: '(empty message)' }] }])
    expect(contents([assistant([text('Hello  ')])])).toEqual([
      { role: 'user', parts: [{ text: '(The conversation begins here.)' }] },
      { role: 'model', parts: [{ text: 'Hello' }] },
      { role: 'user', parts: [{ text: 'Go on.' }] },
    ])
    expect(contents([user('a'), user(' '), user('b')])).toEqual([{ role: 'user', parts: [{ text: 'a\n\nb' }] }])
  })
})

describe('W7 calls and results', () => {
  test('W7 all results are in one turn of the person right after the calls, in their order, before words and pictures', () => {
    const shown = [text('640x480'), { type: 'image', blob: 'b1', mediaType: 'image/png' } as const]
    const history = [
      user('go'),
      assistant([text('Reading.'), call('h-1', '{"path":"a"}'), call('h-2', '{"n":12345678901234567890}', '2nd tool')]),
      result('h-2', shown),
      user('Go on.'),
    ]
    expect(contents(history)).toEqual([
      { role: 'user', parts: [{ text: 'go' }] },
      {
        role: 'model',
        parts: [
          { text: 'Reading.' },
          { functionCall: { id: 'h-1', name: 'read', args: { path: 'a' } } },
          { functionCall: { id: 'h-2', name: '_2nd_tool', args: { n: '12345678901234567890' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'h-1', name: 'read', response: { error: expect.stringContaining('interrupted') } } },
          {
            functionResponse: {
              id: 'h-2',
              name: '_2nd_tool',
              response: { output: '640x480\n(A picture of this result follows after the results.)' },
            },
          },
          { text: 'Picture from the result of call h-2 (2nd_tool):' },
          { inlineData: { mimeType: 'image/png', data: 'eA==' } },
          { text: 'Go on.' },
        ],
      },
    ])
  })

  test('W7 where the server knows no ids of calls there are none', () => {
    const written = JSON.stringify(write([user('go'), assistant([call('c1')]), result('c1', [text('x')])], {}, { callIds: false }))
    expect(written).not.toContain('"id"')
  })

  test('W13 a model without tools or sight gets words instead', () => {
    const history = [user('go'), assistant([call('c1', '{"a":1}')]), result('c1', [{ type: 'image', blob: 'b1', mediaType: 'image/png' }])]
    const tools = [{ name: 'read', description: '', parameters: { type: 'object' } }]
    expect(write(history, { tools }, { info: { tools: false, images: false } })).toEqual({
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        { role: 'model', parts: [{ text: '[Called read with {"a":1}]' }] },
        { role: 'user', parts: [{ text: '[Result of read]' }, { text: expect.stringContaining('This model cannot see pictures') }] },
      ],
    })
  })
})

describe('W5 signatures', () => {
  const loop = (provenance = HERE) => [
    user('go'),
    assistant(
      [signature('thought', 'hm'), signature('text'), text('Reading.'), signature('call'), call('a'), call('b'), signature('empty')],
      provenance,
    ),
    result('a', [text('1')]),
    result('b', [text('2')]),
  ]
  const answer = (...args: Parameters<typeof write>) => contents(...args)[1]?.parts

  test('P-a13 each goes back on the part that it came with, on no other, and in its place', () => {
    expect(answer(loop())).toEqual([
      { text: 'hm', thought: true, thoughtSignature: 'sig-thought' },
      { text: 'Reading.', thoughtSignature: 'sig-text' },
      { functionCall: { id: 'a', name: 'read', args: {} }, thoughtSignature: 'sig-call' },
      { functionCall: { id: 'b', name: 'read', args: {} } },
      { text: '', thoughtSignature: 'sig-empty' },
    ])
  })

  test('W5 another provider or model never sees them', () => {
    for (const other of [
      { provider: 'q', model: 'm' },
      { provider: 'p', model: 'n' },
    ]) {
      expect(JSON.stringify(write(loop(other)))).not.toContain('sig-')
    }
    expect(
      JSON.stringify(write([user('go'), assistant([{ type: 'reasoning', text: 'hm', replay: { field: 'reasoning' } }, text('a')])])),
    ).not.toContain('hm')
  })

  test('W5 a signature whose call a listener took away is not given to what follows', () => {
    const history = [user('go'), assistant([signature('call'), text('Done.')]), user('so?')]
    expect(answer(history)).toEqual([{ text: 'Done.' }])
  })

  test('W5 Gemini 3 refuses a first call without one: calls of other models get Google’s own word for that', () => {
    const other = { provider: 'q', model: 'x' }
    const calls = [user('go'), assistant([call('a'), call('b')], other), result('a', [text('1')]), result('b', [text('2')])]
    expect(contents(calls, { model: 'gemini-3-pro-preview' })[1]?.parts).toEqual([
      expect.objectContaining({ thoughtSignature: 'skip_thought_signature_validator' }),
      { functionCall: { id: 'b', name: 'read', args: {} } },
    ])
    expect(JSON.stringify(write(calls, { model: 'gemini-2.5-pro' }))).not.toContain('thoughtSignature')
  })
})

describe('W7 schemas in the subset that Gemini takes', () => {
  const property = (schema: JsonObject, more: JsonObject = {}) => {
    const parameters = writeParameters({ type: 'object', properties: { p: schema }, ...more })
    expect(
      geminiHistoryProblems({
        contents: [{ role: 'user', parts: [{ text: 'a' }] }],
        tools: [{ functionDeclarations: [{ name: 'f', parameters }] }],
      }),
    ).toEqual([])
    return (parameters?.properties as JsonObject | undefined)?.p
  }
  test.each<[string, JsonObject, JsonObject]>([
    [
      'additionalProperties, default and $comment',
      { type: 'string', default: 'a', $comment: 'x', additionalProperties: false },
      { type: 'string' },
    ],
    ['a constant', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['a constant number', { const: 3, description: 'Version.' }, { type: 'number', description: 'Version. One of: 3.' }],
    ['numbers to choose from', { type: 'integer', enum: [1, 2] }, { type: 'integer', description: 'One of: 1, 2.' }],
    ['a list of types', { type: ['string', 'null'], description: 'd' }, { type: 'string', description: 'd', nullable: true }],
    ['several types', { type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'string', nullable: true }],
    [
      'anyOf beside other words',
      { description: 'd', anyOf: [{ type: 'string' }, { type: 'integer' }] },
      {
        anyOf: [
          { type: 'string', description: 'd' },
          { type: 'integer', description: 'd' },
        ],
      },
    ],
    [
      'allOf',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } } },
          { properties: { b: {} }, required: ['b', 'c'] },
        ],
      },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['b'] },
    ],
    ['a format for text', { type: 'string', format: 'uri' }, { type: 'string' }],
    ['a list of anything', { type: 'array' }, { type: 'array', items: { type: 'string' } }],
    ['a tuple', { prefixItems: [{ type: 'number' }] }, { type: 'array', items: { type: 'number' } }],
    ['exclusive limits', { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 }, { type: 'integer', minimum: 1, maximum: 9 }],
    ['an open object', { type: 'object', additionalProperties: { type: 'string' } }, { type: 'object' }],
    ['an empty choice', { type: 'string', enum: ['', 'a'] }, { type: 'string', description: 'One of: "", "a".' }],
  ])('W7 %s', (_, schema, written) => {
    expect(property(schema)).toEqual(written)
  })

  test('W7 references are replaced by what they name, one that leads to itself ends', () => {
    const $defs: Json = { node: { type: 'object', properties: { name: { type: 'string' }, child: { $ref: '#/$defs/node' } } } }
    expect(property({ $ref: '#/$defs/node', description: 'd' }, { $defs })).toEqual({
      type: 'object',
      description: 'd',
      properties: { name: { type: 'string' }, child: { type: 'object' } },
    })
    expect(property({ $ref: '#/$defs/nowhere' })).toEqual({ type: 'string' })
    const many = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `d${index}`,
        {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 12 }, (__, other) => [`p${other}`, { $ref: `#/$defs/d${other}` }])),
        },
      ]),
    )
    expect(JSON.stringify(property({ $ref: '#/$defs/d0' }, { $defs: many })).length).toBeLessThan(200_000)
  })

  test('W7 parameters that are a choice are one object with what all of them have', () => {
    const choice = (name: string) => ({
      type: 'object',
      properties: { [name]: { type: 'string' }, kind: { type: 'string' } },
      required: [name, 'kind'],
    })
    expect(writeParameters({ anyOf: [choice('a'), choice('b')] })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, kind: { type: 'string' }, b: { type: 'string' } },
      required: ['kind'],
    })
  })
})

describe('any history', () => {
  test('W7 any derived messages become a request that the strictest Gemini accepts', () => {
    const replays: readonly Json[] = [
      ...['thought', 'call', 'text', 'empty', 'odd'].map((part) => ({ part, thoughtSignature: 's' })),
      { field: 'content' },
      null,
    ]
    fc.assert(
      fc.property(anyMessages(replays), anyInfo, fc.constantFrom('m', 'gemini-3-flash'), (messages, info, model) => {
        const options = { info, picture: anyPicture }
        const before = JSON.stringify(messages)
        const body = write(messages, { model, system: 's\ud800' }, options)
        expect(JSON.stringify(write(messages, { model, system: 's\ud800' }, options))).toBe(JSON.stringify(body))
        expect(JSON.stringify(messages)).toBe(before)
      }),
      { numRuns: 1000 },
    )
  })

  test('W7 any schema becomes one in the subset', () => {
    const leaf = {
      type: fc.oneof(
        fc.constantFrom('string', 'object', 'array', 'integer', 'null', 'file'),
        fc.array(fc.constantFrom('string', 'null', 'object'), { maxLength: 3 }),
      ),
      required: fc.array(fc.constantFrom('a', 'b', 'z'), { maxLength: 2 }),
      enum: fc.array(fc.constantFrom('x', '', null, 1), { maxLength: 3 }),
      $ref: fc.constantFrom('#', '#/properties/p', '#/properties/p/anyOf/0', 'other.json'),
      minimum: fc.integer(),
      default: fc.string(),
    }
    const { schema } = fc.letrec((again) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.record(leaf, { requiredKeys: [] }),
        fc.record(
          {
            ...leaf,
            properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), again('schema'), { maxKeys: 2 }),
            items: again('schema'),
            anyOf: fc.array(again('schema'), { maxLength: 2 }),
            allOf: fc.array(again('schema'), { maxLength: 2 }),
          },
          { requiredKeys: [] },
        ),
      ),
    }))
    fc.assert(
      fc.property(schema, (any) => {
        const parameters = writeParameters({ type: 'object', properties: { p: any } })
        const body = {
          contents: [{ role: 'user', parts: [{ text: 'a' }] }],
          tools: [{ functionDeclarations: [{ name: 'f', parameters }] }],
        }
        expect(geminiHistoryProblems(body)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})

describe('the history checker', () => {
  const bad = (...given: readonly object[]) => geminiHistoryProblems({ contents: given }).join(' · ')
  const said = { role: 'user', parts: [{ text: 'a' }] }
  const calls = (...ids: readonly string[]) => ({
    role: 'model',
    parts: ids.map((id) => ({ functionCall: { id, name: 'read', args: {} } })),
  })
  const results = (...ids: readonly string[]) => ({
    role: 'user',
    parts: ids.map((id) => ({ functionResponse: { id, name: 'read', response: { output: 'x' } } })),
  })
  test('K6 it accepts what is right', () => expect(bad(said, calls('a', 'b'), results('a', 'b'))).toBe(''))
  test.each([
    ['a result too few', bad(said, calls('a', 'b'), results('a'))],
    ['results in another order', bad(said, calls('a', 'b'), results('b', 'a'))],
    ['a result without its call', bad(said, { role: 'model', parts: [{ text: 'a' }] }, results('a'))],
    ['words before results', bad(said, calls('a'), { role: 'user', parts: [...said.parts, ...results('a').parts] })],
    ['a call at the end', bad(said, calls('a'))],
    ['an id used twice', bad(said, calls('a', 'a'), results('a', 'a'))],
    ['a blank text', bad({ role: 'user', parts: [{ text: ' ' }] })],
    ['no parts', bad({ role: 'user', parts: [] })],
    ['two of one role', bad(said, said)],
    ['a model that begins', bad({ role: 'model', parts: [{ text: 'a' }] }, said)],
    ['half of a pair', bad({ role: 'user', parts: [{ text: '\ud800' }] })],
    ['arguments as text', bad(said, { role: 'model', parts: [{ functionCall: { id: 'a', name: 'read', args: '{}' } }] }, results('a'))],
    [
      'an unknown word in a schema',
      geminiHistoryProblems({
        contents: [said],
        tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'object', $ref: '#' } }] }],
      }).join(),
    ],
    ['nothing', bad()],
  ])('K6 it notices %s', (_, problems) => {
    expect(problems).not.toBe('')
  })
})
