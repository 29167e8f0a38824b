// The OpenAI-chat reader beyond the wire cases: the relatives of what people reported (W1, W4 to W6), each as the chunks it must give.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/storage/log/content.ts'
import {
  blocks,
  body,
  call,
  calls,
  delta,
  done,
  finishOf,
  read,
  readBytes,
  readText,
  reasoningOf,
  textOf,
  toolCalls,
  usageOf,
} from './chat-events.ts'

describe('W1 the shape of a reply', () => {
  test('W1 blocks are numbered in order, usage comes before finish, nothing after it', () => {
    const chunks = read([
      { usage: { prompt_tokens: 3, completion_tokens: 1 }, choices: [] },
      delta({ reasoning_content: 'hm' }),
      delta({ content: 'a' }),
      calls(call({ id: 'c1', index: 0, name: 'read', arguments: '{}' })),
      done('tool_calls'),
      { usage: { prompt_tokens: 3, completion_tokens: 9 }, choices: [] },
    ])
    expect(chunks).toEqual([
      { type: 'block-start', index: 0, blockType: 'reasoning' },
      { type: 'reasoning-delta', index: 0, text: 'hm' },
      { type: 'block-end', index: 0, block: { type: 'reasoning', text: 'hm', replay: { field: 'reasoning_content' } } },
      { type: 'block-start', index: 1, blockType: 'text' },
      { type: 'text-delta', index: 1, text: 'a' },
      { type: 'block-end', index: 1, block: { type: 'text', text: 'a' } },
      { type: 'block-start', index: 2, blockType: 'tool-call' },
      { type: 'tool-call-delta', index: 2, id: 'c1', name: 'read', argumentsDelta: '{}' },
      { type: 'block-end', index: 2, block: { type: 'tool-call', id: 'c1', name: 'read', arguments: '{}' } },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 9 } },
      { type: 'finish', reason: { kind: 'tool-calls' }, rawReason: 'tool_calls' },
    ])
  })

  test('W1 text after a call is a block of its own, so that the order is kept', () => {
    const chunks = read([
      delta({ content: 'a' }),
      calls(call({ id: 'c1', name: 'read', arguments: '{}' })),
      delta({ content: 'b' }),
      done(),
    ])
    expect(blocks(chunks).map((block) => (block.type === 'text' ? block.text : block.type))).toEqual(['a', 'b', 'tool-call'])
    expect(chunks.filter((chunk) => chunk.type === 'block-start').map((chunk) => chunk.blockType)).toEqual(['text', 'tool-call', 'text'])
  })

  test('W1 what comes after the end marker is ignored', () => {
    expect(textOf(read([delta({ content: 'a' }), done(), '[DONE]', delta({ content: 'b' })]))).toBe('a')
  })

  test('W1 of several answers only the first is the reply', () => {
    const second = { choices: [{ index: 1, delta: { content: 'B' }, finish_reason: 'length' }] }
    const chunks = read([delta({ content: 'a' }), second, delta({ content: 'c' }), done()])
    expect([textOf(chunks), finishOf(chunks)?.reason.kind]).toEqual(['ac', 'stop'])
  })

  test('W1 a whole completion instead of a stream is read as one', () => {
    const message = {
      role: 'assistant',
      content: 'hi',
      reasoning_content: 'hm',
      tool_calls: [call({ name: 'read', arguments: '{"a":1}' }), call({ name: 'read', arguments: { a: 2 } })],
    }
    const completion = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 2, completion_tokens: 1 } }
    const chunks = readText(`\n  ${JSON.stringify(completion, null, 2)}`)
    expect([textOf(chunks), reasoningOf(chunks), usageOf(chunks)?.inputTokens]).toEqual(['hi', 'hm', 2])
    expect(toolCalls(chunks)).toEqual([
      ['made-1', 'read', '{"a":1}'],
      ['made-2', 'read', '{"a":2}'],
    ])
    expect(finishOf(chunks)?.reason.kind).toBe('tool-calls')
  })

  test('W1 a last event that holds the whole message once more shows nothing twice', () => {
    const last = { choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] }
    const chunks = read([delta({ content: 'h' }), delta({ content: 'i' }), last])
    expect([textOf(chunks), finishOf(chunks)?.reason.kind]).toEqual(['hi', 'stop'])
    expect(textOf(read([last]))).toBe('hi')
  })

  test('W1 any cut of any reply gives the same chunks', () => {
    const text = body([
      delta({ content: 'Grüße 👋 <th' }),
      delta({ reasoning: '你' }),
      calls(call({ index: 0, name: 'read', arguments: '{"a":' }), call({ index: 1, name: 'write_file', arguments: '' })),
      calls(call({ index: 0, arguments: '"é"}' })),
      done('length'),
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
    ]).replaceAll('\n', '\r\n')
    const bytes = new TextEncoder().encode(text)
    const whole = JSON.stringify(readBytes([bytes]))
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
        const edges = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b)
        expect(JSON.stringify(readBytes(edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge))))).toBe(whole)
      }),
    )
  })
})

describe('W4 what decides', () => {
  test.each([
    ['stop', 'stop'],
    ['length', 'max-tokens'],
    ['MAX_TOKENS', 'max-tokens'],
    ['content_filter', 'content-filter'],
    ['end_turn', 'stop'],
    ['something_new', 'x-something_new'],
  ])('W4 the reason %s is %s, and the raw word is kept', (raw, kind) => {
    expect(finishOf(read([delta({ content: 'a' }), done(raw)]))).toEqual({ type: 'finish', reason: { kind }, rawReason: raw })
  })

  test('W4 a call that nobody can read does not decide', () => {
    const broken = call({ index: 0, id: 'a', name: 'read', arguments: '{"a":"half' })
    expect(finishOf(read([calls(broken), done()]))?.reason.kind).toBe('stop')
    expect(finishOf(read([calls(broken), done('tool_calls')]))?.reason.kind).toBe('tool-calls')
    expect(toolCalls(read([calls(broken), done()]))).toEqual([['a', 'read', '{"a":"half']])
  })

  test('W4 a reason of tool_calls without a call is an ordinary end', () => {
    expect(finishOf(read([delta({ content: 'a' }), done('tool_calls')]))?.reason).toEqual({ kind: 'stop' })
  })

  test('W4 whole calls decide whatever the reason, but a limit drops the cut one', () => {
    const whole = call({ index: 0, id: 'a', name: 'read', arguments: '{}' })
    const cut = call({ index: 1, id: 'b', name: 'write_file', arguments: '{"text":"half' })
    expect(finishOf(read([calls(whole), done('eos')]))?.reason.kind).toBe('tool-calls')
    expect(finishOf(read([calls(whole), done('odd')]))?.reason.kind).toBe('tool-calls')
    const limited = read([calls(whole, cut), done('length')])
    expect(finishOf(limited)?.reason.kind).toBe('max-tokens')
    expect(toolCalls(limited)).toEqual([['a', 'read', '{}']])
  })

  test('W4 a call that the limit cut before its arguments is cut, one before it is whole', () => {
    const limited = read([calls(call({ index: 0, id: 'a', name: 'read' }), call({ index: 1, id: 'b', name: 'read' })), done('length')])
    expect(toolCalls(limited)).toEqual([['a', 'read', '']])
  })

  test('W4 the end marker without a reason is an end, inferred and marked', () => {
    expect(finishOf(read([delta({ content: 'a' })]))).toEqual({ type: 'finish', reason: { kind: 'stop' }, inferred: true })
  })

  test('W4 a reason without the end marker is an end', () => {
    expect(finishOf(read([delta({ content: 'a' }), done()], {}, ''))?.reason.kind).toBe('stop')
  })

  test('W4 a stream that just stops is incomplete: a transport failure that may be tried again, its text kept', () => {
    for (const end of ['', 'data: {"choices":[{"delta":{"content":"lost']) {
      const chunks = read([delta({ content: 'kept' }), calls(call({ id: 'c', name: 'read', arguments: '{"a' }))], {}, end)
      expect(textOf(chunks)).toBe('kept')
      expect(toolCalls(chunks)).toEqual([])
      expect(finishOf(chunks)?.reason).toMatchObject({
        kind: 'error',
        code: 'stream-stopped',
        failure: { class: 'transport', transient: true },
      })
    }
    expect(finishOf(readText(''))?.reason).toMatchObject({ failure: { class: 'transport' } })
    expect(finishOf(readText(': ping\n\n'))?.reason).toMatchObject({ failure: { class: 'transport' } })
  })

  test('W4 words that are no event explain a stream that stops, and are nothing in one that goes on', () => {
    const stopped = finishOf(read([delta({ content: 'a' }), 'upstream timed out'], {}, ''))?.reason
    expect(stopped).toMatchObject({ message: expect.stringContaining('upstream timed out') })
    const alive = read(['PING', '', '{}', 'null', '[PING]', delta({ content: 'a' }), done()])
    expect([textOf(alive), finishOf(alive)?.reason.kind]).toEqual(['a', 'stop'])
  })

  test.each<[string, Json, object]>([
    ['an error object', { error: { message: 'quota', type: 'insufficient_quota' } }, { class: 'quota', transient: false }],
    ['an error of plain words', { error: 'Rate limit exceeded' }, { class: 'rate_limit', transient: true }],
    ['an error with a status', { error: { code: 503, message: 'busy' } }, { class: 'overloaded', status: 503 }],
    ['an error as text of its own', { object: 'error', message: 'prompt is too long', code: 400 }, { class: 'context_overflow' }],
    ['a detail', { detail: 'Internal failure' }, { class: 'provider', transient: true }],
  ])('W4 %s inside the stream ends it as an error', (_, error, failure) => {
    const chunks = read([delta({ content: 'kept' }), error, delta({ content: 'never' })])
    expect(textOf(chunks)).toBe('kept')
    expect(finishOf(chunks)?.reason).toMatchObject({ kind: 'error', failure })
  })

  test('W4 an event named error, and a finish reason of error, are errors; error: null is not', () => {
    expect(finishOf(readText('event: error\ndata: {"message":"gone wrong"}\n\n'))?.reason).toMatchObject({
      kind: 'error',
      failure: { class: 'provider' },
    })
    expect(finishOf(read([delta({ content: 'a' }), done('error')]))?.reason).toMatchObject({ kind: 'error', failure: { transient: true } })
    expect(finishOf(read([{ ...(delta({ content: 'a' }) as object), error: null }, done()]))?.reason.kind).toBe('stop')
  })

  test('W4 what cannot be read in the middle is a protocol failure, not lost words', () => {
    const chunks = read([delta({ content: 'a' }), '{"choices": [{"delta"', delta({ content: 'b' })])
    expect(finishOf(chunks)?.reason).toMatchObject({ kind: 'error', failure: { class: 'protocol' } })
  })

  test('W4 a page, and JSON that is no reply, are protocol failures that name the base URL', () => {
    for (const answer of ['<!doctype html><title>Sign in</title>', '{"status":"ok"}', '[]', '{"broken":']) {
      const reason = finishOf(readText(answer))?.reason
      expect(reason).toMatchObject({ kind: 'error', failure: { class: 'protocol' }, message: expect.stringContaining('base URL') })
    }
    expect(finishOf(readText('{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}'))?.reason).toMatchObject({
      failure: { class: 'auth' },
    })
  })

  test.each<[string, readonly Json[], object | undefined]>([
    [
      'with the finish',
      [{ choices: [{ delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 5, completion_tokens: 2 } }],
      { inputTokens: 5, outputTokens: 2 },
    ],
    [
      'in each chunk, growing',
      [1, 2].map((n) => ({ choices: [], usage: { prompt_tokens: 5, completion_tokens: n } })),
      { inputTokens: 5, outputTokens: 2 },
    ],
    [
      'twice, the second empty',
      [
        { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
        { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } },
      ],
      { inputTokens: 5, outputTokens: 2 },
    ],
    [
      'in the choice',
      [{ choices: [{ delta: {}, usage: { prompt_tokens: 5, completion_tokens: 2 } }] }],
      { inputTokens: 5, outputTokens: 2 },
    ],
    ['under x_groq', [{ choices: [], x_groq: { usage: { prompt_tokens: 5, completion_tokens: 2 } } }], { inputTokens: 5, outputTokens: 2 }],
    [
      'with cache hits',
      [{ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, prompt_cache_hit_tokens: 4 } }],
      { inputTokens: 5, outputTokens: 2, cacheReadTokens: 4 },
    ],
    [
      'with cache writes and a price',
      [
        {
          choices: [],
          usage: { prompt_tokens: 9, completion_tokens: 2, cost: 0.5, prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 3 } },
        },
      ],
      { inputTokens: 5, outputTokens: 2, cacheReadTokens: 1, cacheWriteTokens: 3, cost: 0.5 },
    ],
    [
      'with reasoning inside',
      [
        {
          choices: [],
          usage: { prompt_tokens: 5, completion_tokens: 8, total_tokens: 13, completion_tokens_details: { reasoning_tokens: 6 } },
        },
      ],
      { inputTokens: 5, outputTokens: 8, reasoningTokens: 6 },
    ],
    [
      'with reasoning apart',
      [
        {
          choices: [],
          usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 13, completion_tokens_details: { reasoning_tokens: 6 } },
        },
      ],
      { inputTokens: 5, outputTokens: 8, reasoningTokens: 6 },
    ],
    ['never', [{ choices: [], usage: null }], undefined],
    ['as nonsense', [{ choices: [], usage: { prompt_tokens: 'many', completion_tokens: -1 } }], undefined],
  ])('W4 usage that comes %s is counted once', (_, events, usage) => {
    expect(usageOf(read([delta({ content: 'a' }), ...events, done()]))).toEqual(usage)
  })
})

describe('W5 reasoning', () => {
  test('W5 words that are sent in two fields at once are taken once', () => {
    expect(reasoningOf(read([delta({ reasoning_content: 'hm', reasoning: 'hm' }), done()]))).toBe('hm')
    const details = [{ type: 'reasoning.text', text: 'hm', index: 0 }]
    expect(reasoningOf(read([delta({ reasoning: 'hm', reasoning_details: details }), done()]))).toBe('hm')
    expect(reasoningOf(read([delta({ reasoning_details: details }), done()]))).toBe('hm')
  })

  test('W5 reasoning details are put together and kept byte for byte with their block', () => {
    const piece = (text: string, more: object = {}): Json => ({
      type: 'reasoning.text',
      text,
      index: 0,
      format: 'v1',
      signature: null,
      ...more,
    })
    const chunks = read([
      delta({ reasoning: 'Think ', reasoning_details: [piece('Think ')] }),
      delta({ reasoning: 'on. ', reasoning_details: [piece('on. ', { signature: 'c2ln' })] }),
      delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'OPAQUE==', index: 1 }] }),
      delta({ content: 'Yes.' }),
      done(),
    ])
    expect(blocks(chunks)[0]).toEqual({
      type: 'reasoning',
      text: 'Think on. ',
      replay: {
        field: 'reasoning_details',
        details: [
          { type: 'reasoning.text', text: 'Think on. ', index: 0, format: 'v1', signature: 'c2ln' },
          { type: 'reasoning.encrypted', data: 'OPAQUE==', index: 1 },
        ],
      },
    })
  })

  const tagged = (...pieces: readonly string[]) => {
    const chunks = read([...pieces.map((content) => delta({ content })), done()], { taggedThinking: true })
    return [reasoningOf(chunks), textOf(chunks)]
  }
  test('W5 think tags are taken out wherever the text is cut, and only a real beginning is held back', () => {
    const whole = '<think>a < b\n</think>\n\nIt is `a <th b`, <that>.'
    const right = ['a < b\n', 'It is `a <th b`, <that>.']
    expect(tagged(whole)).toEqual(right)
    expect(tagged(...whole)).toEqual(right)
    const live = read([delta({ content: 'a <b' }), delta({ content: 'c' }), done()], { taggedThinking: true })
    expect(live.filter((chunk) => chunk.type === 'text-delta').map((chunk) => chunk.text)).toEqual(['a <b', 'c'])
  })

  test('W5 a tag in code is text, one that is never closed is thinking to the end', () => {
    expect(tagged('Use `<think>` or\n```\n<think>x</think>\n```\n')).toEqual(['', 'Use `<think>` or\n```\n<think>x</think>\n```\n'])
    expect(tagged('<think>and so on</thi')).toEqual(['and so on</thi', ''])
    expect(tagged('a <thi')).toEqual(['', 'a <thi'])
    expect(tagged('[THINK]m[/THINK]n')).toEqual(['m', 'n'])
  })

  test('W5 a closing tag that the prompt had opened is not shown', () => {
    expect(tagged('so</think>\nYes')).toEqual(['', 'so\nYes'])
  })

  test('W5 without that ability of the model the tags are text', () => {
    expect(textOf(read([delta({ content: '<think>a</think>b' }), done()]))).toBe('<think>a</think>b')
  })
})

describe('W6 refusals', () => {
  test('W6 a refusal is shown as the answer and told by the finish', () => {
    const chunks = read([delta({ content: 'Well. ' }), delta({ refusal: 'I ' }), delta({ refusal: 'will not.' }), done()])
    expect(blocks(chunks).map((block) => block.type === 'text' && block.text)).toEqual(['Well. ', 'I will not.'])
    expect(finishOf(chunks)).toEqual({ type: 'finish', reason: { kind: 'refusal' }, rawReason: 'stop' })
  })
})

describe('the reader and hostile bytes', () => {
  test('W1 no bytes whatever make it throw, and it always ends in one finish', () => {
    const json = fc.json({ maxDepth: 4 })
    const shaped = fc.record(
      { choices: fc.array(fc.record({ delta: fc.object(), finish_reason: fc.anything() }, { requiredKeys: [] })) },
      { requiredKeys: [] },
    )
    const event = fc.oneof(
      json,
      shaped.map((value) => JSON.stringify(value) ?? ''),
      fc.constantFrom(
        '[DONE]',
        '{"choices":null}',
        '{"choices":[null]}',
        '{"choices":[{"delta":{"tool_calls":[null,{"function":null}]}}]}',
      ),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), fc.uint8Array({ maxLength: 20 }), (events, noise) => {
        const chunks = readBytes([new TextEncoder().encode(body(events, '')), noise])
        expect(chunks.filter((chunk) => chunk.type === 'finish')).toHaveLength(1)
        expect(chunks.at(-1)?.type).toBe('finish')
      }),
    )
  })
})
