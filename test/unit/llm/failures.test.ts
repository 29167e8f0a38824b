// What servers answer instead of a reply (W10): classified, explained, and never with a key in it.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModelFailureClass } from '../../../src/storage/log/model-call.ts'
import { explainBrokenStream, explainFetchFailure } from '../../../src/worker/llm/explain-fetch-failure.ts'
import { FAILURE_TABLE } from '../../../src/worker/llm/failure-table.ts'
import { classifyFailure } from '../../../src/worker/llm/failures.ts'

const error = (message: string, more: object = {}) => ({ error: { message, ...more } })
const classOf = (status: number | undefined, body: unknown) => {
  const failure = classifyFailure({ ...(status === undefined ? {} : { status }), body })
  return [failure.class, failure.transient]
}

describe('W10 failures', () => {
  test.each<[ModelFailureClass, boolean, number, unknown]>([
    ['quota', false, 429, error('You exceeded your current quota, please check your plan.', { code: 'insufficient_quota' })],
    ['quota', false, 402, error('Insufficient Balance')],
    ['quota', false, 400, error('Your credit balance is too low to access the API.')],
    ['rate_limit', true, 429, error('You exceeded your current quota.', { details: [{ retryDelay: '34s' }] })],
    [
      'rate_limit',
      true,
      429,
      error('Rate limit reached on tokens per min. Limit 10000. Please try again in 6s. Add a payment method at …/billing.'),
    ],
    ['rate_limit', true, 429, 'Too Many Requests'],
    ['rate_limit', true, 400, error('Throttling: rate limit exceeded')],
    ['rate_limit', true, 400, error('Too many tokens, please wait before trying again.')],
    ['request_too_large', false, 429, error('Request too large for m on tokens per min (TPM): Limit 10000, Requested 30000.')],
    ['overloaded', true, 429, error('The engine is overloaded', { type: 'engine_overloaded_error' })],
    ['overloaded', true, 529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    ['overloaded', true, 503, error('Loading model', { type: 'unavailable_error' })],
    ['auth', false, 401, error('No auth credentials found', { code: 401 })],
    ['auth', false, 400, error('API key not valid. Please pass a valid API key.', { status: 'INVALID_ARGUMENT' })],
    ['auth', false, 403, error('You have insufficient permissions for this operation.')],
    ['auth', false, 403, error('Country not supported', { code: 'unsupported_country_region_territory' })],
    ['context_overflow', false, 400, error('too long', { code: 'context_length_exceeded' })],
    ['context_overflow', false, 400, error('the request exceeds the available context size', { type: 'exceed_context_size_error' })],
    ['context_overflow', false, 400, error('prompt is too long: 250000 tokens > 200000 maximum')],
    ['context_overflow', false, 400, error('input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000')],
    ['context_overflow', false, 400, error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).')],
    ['context_overflow', false, 400, error("This model's maximum prompt length is 131072 but the request contains 140000 tokens.")],
    ['context_overflow', false, 500, { error: 'The number of tokens to keep is greater than the context length' }],
    ['context_overflow', false, 400, error('Your request exceeded model token limit : 8192')],
    ['context_overflow', false, 400, { message: 'Requested tokens (5000) exceed context window of 2048' }],
    ['context_overflow', false, 400, error('Please reduce the length of the messages or completion.')],
    ['request_too_large', false, 413, '<html><head><title>413 Request Entity Too Large</title></head></html>'],
    [
      'invalid_history',
      false,
      400,
      error("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."),
    ],
    ['invalid_history', false, 400, error('messages.2: `tool_use` ids were found without `tool_result` blocks immediately after')],
    ['invalid_history', false, 400, { message: "Unexpected role 'user' after role 'tool'", type: 'invalid_request_message_order' }],
    ['invalid_history', false, 500, error('Conversation roles must alternate user/assistant/user/assistant/...')],
    ['invalid_history', false, 400, error('messages: final assistant content cannot end with trailing whitespace')],
    ['invalid_history', false, 400, error('messages.1.content.0: Invalid `signature` in `thinking` block')],
    ['invalid_history', false, 400, error('messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.')],
    ['invalid_history', false, 400, error('This model does not support assistant message prefill.')],
    ['invalid_history', false, 400, error("Item 'rs_1' of type 'reasoning' was provided without its required following item.")],
    [
      'invalid_history',
      false,
      400,
      error('The encrypted content for item rs_1 could not be verified.', { code: 'invalid_encrypted_content' }),
    ],
    ['invalid_history', false, 400, error('No tool output found for function call call_1.')],
    ['auth', false, 401, error('CORS requests are not allowed for this Organization because of its settings.')],
    ['auth', false, 403, { type: 'error', error: { type: 'permission_error', message: 'Your key may not use this resource.' } }],
    ['quota', false, 400, error('You have reached your specified API usage limits. You will regain access on 2026-12-01.')],
    ['provider', false, 404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-9' } }],
    ['provider', false, 404, error('The model `gpt-9` does not exist or you do not have access to it.')],
    ['provider', false, 404, { error: { message: 'model "x" not found, try pulling it first' } }],
    ['provider', false, 404, '404 page not found'],
    [
      'provider',
      false,
      400,
      error('max_tokens is too large: 100000. This model supports at most 16384 completion tokens.', { type: 'invalid_request_error' }),
    ],
    ['provider', false, 400, error('The response was filtered', { code: 'content_filter' })],
    ['provider', false, 500, error('model requires more system memory (20 GiB) than is available')],
    ['provider', false, 422, { detail: [{ loc: ['body', 'tools'], msg: 'field required', type: 'value_error.missing' }] }],
    ['provider', true, 500, ''],
    ['provider', true, 502, '<html><body>Bad gateway</body></html>'],
    ['provider', true, 524, 'error code: 524'],
    ['provider', true, 599, undefined],
  ])('W10 %s (transient: %s) for %i %j', (failureClass, transient, status, body) => {
    expect(classOf(status, body)).toEqual([failureClass, transient])
  })

  test('W10 an error inside a stream is classified by its own status, words or kind', () => {
    expect(classOf(undefined, error('gone', { code: 502 }))).toEqual(['provider', true])
    expect(classOf(undefined, error('odd', { type: 'invalid_request_error' }))).toEqual(['provider', false])
    expect(classOf(undefined, error('boom'))).toEqual(['provider', true])
    expect(classOf(200, { error: { message: 'slow down', code: 429 } })).toEqual(['rate_limit', true])
  })

  test('W10 the outer type of Anthropic’s errors hides nothing', () => {
    const failure = (type: string) => classifyFailure({ body: { type: 'error', error: { type, message: 'Not now' }, request_id: 'req_9' } })
    expect(failure('overloaded_error')).toMatchObject({ class: 'overloaded', code: 'overloaded_error', requestId: 'req_9' })
    expect(failure('rate_limit_error')).toMatchObject({ class: 'rate_limit', transient: true })
    expect(failure('permission_error')).toMatchObject({ class: 'auth', transient: false })
    expect(failure('api_error')).toMatchObject({ class: 'provider', transient: true })
  })

  test('W10 an organisation that forbids browsers is told so, and not that the key is wrong', () => {
    const body = { type: 'error', error: { type: 'authentication_error', message: 'CORS requests are not allowed for this Organization' } }
    expect(classifyFailure({ status: 401, body }).message).toContain('does not allow calls from a browser')
  })

  test('W10 a server that says not to try again is obeyed', () => {
    const headers = new Headers({ 'x-should-retry': 'false', 'retry-after': '7' })
    expect(classifyFailure({ status: 529, headers, body: '' })).toMatchObject({ class: 'overloaded', transient: false })
    expect(classifyFailure({ status: 529, headers, body: '' })).not.toHaveProperty('retryAfterMs')
  })

  test('W10 what a gateway quotes of the server behind it counts', () => {
    const raw = JSON.stringify(error('prompt is too long', { type: 'invalid_request_error' }))
    const failure = classifyFailure({ status: 400, body: error('Provider returned error', { code: 400, metadata: { raw } }) })
    expect(failure).toMatchObject({ class: 'context_overflow', message: expect.stringContaining('prompt is too long') })
  })

  test('W10 the message says what to do and then what the server said', () => {
    expect(classifyFailure({ status: 401, body: error('Incorrect API key', { code: 'invalid_api_key' }) })).toEqual({
      class: 'auth',
      transient: false,
      status: 401,
      code: 'invalid_api_key',
      message: 'The key was not accepted. Check it in the settings of this provider. The server said (401): Incorrect API key',
    })
    expect(classifyFailure({ status: 500, body: '' }).message).toBe(
      'The server had a fault of its own. Try again. The server gave no reason (500).',
    )
    expect(classifyFailure({ status: 502, body: '<title>502 Bad Gateway</title><script>x</script>' }).message).toContain('502 Bad Gateway')
    expect(classifyFailure({ status: 500, body: 'x'.repeat(9000) }).message.length).toBeLessThan(600)
  })

  test('S14 a key that the server quotes is not passed on', () => {
    const body = error('Incorrect API key provided: sk-proj-abcdef123456. You can find it at …')
    expect(classifyFailure({ status: 401, body }).message).not.toContain('abcdef')
  })

  const wait = (headers: Record<string, string>, message = 'slow', more: object = {}) =>
    classifyFailure({ status: 429, headers: new Headers(headers), body: error(message, more), now: Date.UTC(2026, 0, 1, 12, 0, 0) })
      .retryAfterMs
  test.each<[string, number | undefined, number | undefined]>([
    ['seconds', wait({ 'retry-after': '7' }), 7000],
    ['fractions', wait({ 'retry-after': '0.5' }), 500],
    ['a date', wait({ 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT' }), 30_000],
    ['a date gone by', wait({ 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }), 0],
    ['milliseconds', wait({ 'retry-after-ms': '250', 'retry-after': '1' }), 250],
    ['nonsense', wait({ 'retry-after': 'soon 5' }), undefined],
    [
      'the reset of the limit that is used up',
      wait({
        'anthropic-ratelimit-requests-remaining': '3',
        'anthropic-ratelimit-requests-reset': '2026-01-01T12:00:01Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-01-01T12:00:20Z',
      }),
      20_000,
    ],
    ['a reset as a duration', wait({ 'x-ratelimit-reset-requests': '1m0.5s' }), 60_500],
    ['a reset in epoch seconds', wait({ 'x-ratelimit-reset': String(Date.UTC(2026, 0, 1, 12, 0, 9) / 1000) }), 9000],
    ['a reset in epoch milliseconds', wait({ 'x-ratelimit-reset': String(Date.UTC(2026, 0, 1, 12, 0, 9)) }), 9000],
    ['a retry delay in the body', wait({}, 'x', { details: [{ retryDelay: '34s' }] }), 34_000],
    ['a field in the body', wait({}, 'x', { retry_after: 12 }), 12_000],
    ['headers quoted in the body', wait({}, 'x', { metadata: { headers: { 'Retry-After': '3' } } }), 3000],
    ['words', wait({}, 'Please try again in 6m30s.'), 390_000],
    ['other words', wait({}, 'Please retry after 20 seconds'), 20_000],
    ['short words', wait({}, 'Try again in 350ms'), 350],
    ['no hint', wait({}, 'Limit 100 per 60 s'), undefined],
  ])('W10 a time to wait is read from %s', (_, read, right) => {
    expect(read).toBe(right)
  })

  test('W10 without a clock a date is not read, and so never taken for a wait of years', () => {
    const headers = new Headers({ 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT', 'x-ratelimit-reset': '1767268809' })
    expect(classifyFailure({ status: 429, headers, body: '' }).retryAfterMs).toBe(undefined)
  })

  test('W10 the name of a tool or a field in a message decides nothing, its kind does', () => {
    for (const name of ['get_rate_limit', 'is_overloaded', 'throttled', 'insufficient_quota', 'flagged', 'context_length_exceeded']) {
      for (const quote of ["'", '"', '`']) {
        const named = `${quote}${name}${quote}`
        expect([name, ...classOf(400, error(`Invalid schema for function ${named}: the model's own (${named}) misses items`))]).toEqual([
          name,
          'provider',
          false,
        ])
      }
    }
    expect(classOf(400, error('The parameter region of throttle_fan has no territory'))).toEqual(['provider', false])
    expect(classOf(400, error('Unknown parameter: rate_limit', { code: 'unknown_parameter' }))).toEqual(['provider', false])
    expect(classOf(400, error('Calls are throttled, wait'))).toEqual(['rate_limit', true])
  })

  test('W10 what stands as a value is no name, and an apostrophe opens none', () => {
    expect(classOf(400, error('{"error": {"type": "overloaded_error", "message":"x"}}'))).toEqual(['overloaded', true])
    expect(classOf(400, error("429 - {'error': {'code': 'rate_limit_exceeded'}}"))).toEqual(['rate_limit', true])
    expect(classOf(400, error('said {\\"type\\":\\"overloaded_error\\"}'))).toEqual(['overloaded', true])
    expect(classOf(400, error('code="rate_limit_exceeded"'))).toEqual(['rate_limit', true])
    expect(classOf(400, error("The users' overloaded nodes' queue"))).toEqual(['overloaded', true])
  })

  test('W10 a country that is not served is told from a word like it', () => {
    for (const words of ['Country, region, or territory not supported', 'This model is not available in your region.']) {
      expect(classifyFailure({ status: 403, body: error(words) }).message).toContain('does not serve this country')
    }
  })

  test('W10 numbers and field names of single vendors are known', () => {
    expect(classOf(400, error('messages 参数非法', { code: '1261' }))).toEqual(['context_overflow', false])
    const baidu = classifyFailure({ status: 400, body: { error_code: 336003, error_msg: 'the max length of messages is 8' } })
    expect(baidu).toMatchObject({ class: 'provider', code: '336003', message: expect.stringContaining('the max length of messages is 8') })
    expect(classOf(400, { error_code: 18, error_msg: 'Open api qps request limit reached' })).toEqual(['rate_limit', true])
    expect(classOf(400, { error_code: 110, error_msg: 'Access token invalid or no longer valid' })).toEqual(['auth', false])
  })

  test('W10 the id of the request is kept for the person who asks the provider', () => {
    expect(classifyFailure({ status: 500, headers: new Headers({ 'x-request-id': 'req_1' }), body: '' }).requestId).toBe('req_1')
  })

  test('W10 every row of the table has its evidence and says what to do', () => {
    for (const row of FAILURE_TABLE) {
      expect(row.seen.length).toBeGreaterThan(10)
      expect(row.advice).toMatch(/\.$/)
      expect(row.status ?? row.words ?? row.kind).toBeDefined()
    }
  })

  test('W10 no body whatever makes it throw', () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 0, max: 999 }), { nil: undefined }),
        fc.oneof(fc.anything(), fc.json(), fc.string()),
        (status, body) => {
          const failure = classifyFailure({
            ...(status === undefined ? {} : { status }),
            body,
            headers: new Headers({ 'retry-after': '1' }),
          })
          expect(failure.message.length).toBeLessThan(1000)
        },
      ),
    )
    const deep: { error?: object } = {}
    let at = deep
    for (let depth = 0; depth < 10_000; depth += 1) at = at.error = {}
    expect(classOf(400, deep)).toEqual(['provider', false])
  })
})

describe('W10 a fetch without an answer', () => {
  const opaque = new TypeError('Failed to fetch')
  const page = { online: true, origin: 'https://app.example' }
  test.each([
    ['offline', 'https://api.vendor.example/v1', { ...page, online: false }, 'offline', true, 'device is offline'],
    ['mixed content', 'http://api.vendor.example/v1', page, 'mixed-content', false, 'https address'],
    ['a local server', 'http://localhost:11434/v1', page, 'local-unreachable', false, 'OLLAMA_ORIGINS=https://app.example'],
    [
      'a server in this network',
      'http://192.168.1.20:1234/v1',
      { origin: 'http://localhost:4173' },
      'local-unreachable',
      false,
      'Enable CORS',
    ],
    ['a refused origin, or anything else', 'https://api.vendor.example/v1', page, 'unreachable', true, 'https://app.example (CORS)'],
    ['no address', 'api.vendor.example', page, 'bad-url', false, 'https://api.example.com/v1'],
    ['another kind of address', 'ftp://x.example', page, 'bad-url', false, 'not a web address'],
  ])('W10 %s is told with what to do', (_, url, here, code, transient, words) => {
    const failure = explainFetchFailure(url, opaque, here)
    expect(failure).toMatchObject({ class: 'transport', code, transient })
    expect(failure.message).toContain(words)
    expect(failure.message).not.toMatch(/\bkey\b/)
  })

  test('W10 offline, a local server is still asked for by name', () => {
    expect(explainFetchFailure('http://127.0.0.1:8080/v1', opaque, { online: false }).code).toBe('local-unreachable')
    for (const host of ['[::1]:80', '10.0.0.1', '172.20.1.1', 'box.local', 'box']) {
      expect(explainFetchFailure(`http://${host}/v1`, opaque).code).toBe('local-unreachable')
    }
    for (const host of ['172.32.1.1', '11.0.0.1', 'local.example', '[2001:db8::1]']) {
      expect(explainFetchFailure(`http://${host}/v1`, opaque).code).toBe('unreachable')
    }
  })

  test('W10 outside browsers the system says what it was', () => {
    const refused = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })
    expect(explainFetchFailure('http://127.0.0.1:1/v1', refused)).toMatchObject({
      code: 'ECONNREFUSED',
      transient: false,
      message: expect.stringContaining('Nothing listens at 127.0.0.1:1'),
    })
    const unknown = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) })
    expect(explainFetchFailure('https://nowhere.example/v1', unknown)).toMatchObject({
      transient: true,
      message: expect.stringContaining('nowhere.example was not found'),
    })
  })

  test('W10 a connection that broke says that what had come is kept', () => {
    expect(explainBrokenStream('https://a.example/v1')).toMatchObject({
      class: 'transport',
      transient: true,
      message: expect.stringContaining('a.example broke'),
    })
  })
})
