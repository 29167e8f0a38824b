// The kinds of words in which servers say why a call failed (W10), and words that only look like them. failures.test.ts has the rest.
import { describe, expect, test } from 'vitest'
import type { ModelFailureClass } from '../../../src/storage/log/model-call.ts'
import { classifyFailure } from '../../../src/worker/llm/failures.ts'

const error = (message: string, more: object = {}) => ({ error: { message, ...more } })
const classOf = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  classifyFailure({ status, body, headers: new Headers(headers) }).class
const waitOf = (body: unknown, headers: Record<string, string> = {}) =>
  classifyFailure({ status: 429, body, headers: new Headers(headers) }).retryAfterMs

describe('W10 kinds of words', () => {
  test.each([
    'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.',
    'Requested input length 50000 exceeds maximum input length 40960',
    "Input length (265330) exceeds model's maximum context length (262144).",
    'Prompt has 256,468 tokens, but the configured context size is 256,000 tokens',
    "invalid request: total tokens exceeds the model's max of 4096",
    'tokens in request more than max tokens allowed',
    'Prompt length 9000 is greater than max_seq_len 8192',
    'The conversation is too large for this model.',
    'input (9000 tokens) is too large to process. increase the physical batch size (current batch size: 512)',
    'Context limit exceeded',
    'The sequence is longer than the supported window',
    '输入的 token 数量超过了模型的最大上下文长度',
    '上下文长度超限',
    'Prompt 超长',
    '请求内容超过模型上下文长度限制',
    'Current length is 9000 while limit is 8192',
    'The maximum input length is 8192 tokens',
    'token limit exceeded: 9000 > 8192',
    'maximum token limit is 204800',
    'This request exceeds the maximum number of tokens allowed.',
    'cannot truncate prompt with n_keep (13575) >= n_ctx (4096)',
    'Context window exceeded: too many tokens per request.',
    'Validation: prompt tokens (9000) + max_tokens (500) > context window (8192)',
  ])('W10 a conversation that is too long: %s', (words) => {
    for (const status of [400, 422, 500]) expect(classOf(status, error(words))).toBe('context_overflow')
  })

  test.each<[ModelFailureClass, string]>([
    ['provider', "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024."],
    ['provider', 'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for this model'],
    ['provider', 'The requested completion tokens exceed the maximum of 4096'],
    ['provider', 'The maximum tokens you requested exceeds the model limit of 4096.'],
    ['provider', 'max_tokens must be greater than thinking.budget_tokens, which is the maximum allowed'],
    ['provider', 'temperature: Input should be greater than or equal to 0'],
    ['provider', 'The input image exceeds the maximum number of pixels'],
    ['provider', 'model m (context length 8192) does not support tools'],
    ['rate_limit', 'Too many tokens, please wait before trying again.'],
    ['rate_limit', 'Input tokens exceed the limit of your tier: too many requests'],
  ])('W10 it is %s, not a conversation that is too long: %s', (failureClass, words) => {
    expect(classOf(400, error(words))).toBe(failureClass)
  })

  test.each<[number, unknown]>([
    [403, error('Key limit exceeded (total limit).')],
    [429, { error: 'Your team x has either used all available credits or reached its monthly spending limit.' }],
    [400, error('Budget has been exceeded! Current cost: 10.1, Max budget: 10.0', { type: 'budget_exceeded' })],
    [400, error('ExceededBudget: User u has exceeded their budget. Spend: 12')],
    [429, error('余额不足或无可用资源包,请充值。', { code: '1113' })],
    [429, error('您的账户已欠费，请充值后重试。')],
    [403, error('The request failed because your account has an overdue balance.', { code: 'AccountOverdueError' })],
    [200, { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }],
    [403, error('Your credit balance has been exhausted')],
    [429, error('Monthly quota exceeded for this API key')],
    [429, error('This organization has been disabled due to unpaid invoices')],
    [403, { code: 30001, message: 'Sorry, your account balance is insufficient', data: null }],
    [412, { error: 'Account x is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.' }],
    [403, { detail: { error: 'inference prohibited, please enter a payment method, or top up your balance' } }],
    [400, { error: 'Your trial credits have expired' }],
    [429, error('Extra usage is required for long context requests.')],
    [400, { error: 'insufficient_balance', upgradeUrl: '/settings/billing' }],
    [429, { code: 1311, message: 'The model you requested is not available in your current plan' }],
    [400, error('Payment required: no active subscription')],
    [403, error('Billing is not enabled for this project', { details: [{ reason: 'BILLING_DISABLED' }] })],
    [403, { error: 'this model requires a subscription, upgrade for access' }],
    [429, { error: 'you (x) have reached your weekly usage limit, upgrade for higher limits' }],
    [429, error('Quota exceeded for metric: requests, limit: 0, model: m Please retry in 10.6s.', { status: 'RESOURCE_EXHAUSTED' })],
  ])('W10 an account without credit, status %i: %j', (status, body) => {
    expect(classifyFailure({ status, body })).toMatchObject({ class: 'quota', transient: false })
  })

  test('W10 the code that says that there is no credit counts more than the moment at which a limit begins anew', () => {
    const body = error('You exceeded your current quota.', { code: 'insufficient_quota' })
    expect(classOf(429, body, { 'x-ratelimit-reset-requests': '1s' })).toBe('quota')
    expect(classOf(429, error('You exceeded your current quota.'), { 'retry-after': '1' })).toBe('rate_limit')
    expect(classOf(429, error('Resource has been exhausted (e.g. check quota).'))).toBe('rate_limit')
    expect(classOf(429, error('Quota exceeded for quota metric: requests per minute'))).toBe('rate_limit')
    expect(classOf(400, error('Tool get_credits: a field is required'))).toBe('provider')
    expect(classOf(429, error('Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 requests per day'))).toBe(
      'rate_limit',
    )
  })

  test.each([
    'API key expired. Please renew the API key.',
    'Your API key has been revoked',
    'Missing API key in the request',
    'No API key provided',
    'api key deactivated',
    'authentication failed',
    'The API key you provided is not valid',
    'Access denied: the credentials have expired',
    'Incorrect API key provided: xa***Zz.',
  ])('W10 a key that is not accepted, also with 400: %s', (words) => {
    expect(classOf(400, error(words))).toBe('auth')
  })

  test('W10 the reason that Google names counts', () => {
    expect(classOf(400, error('Bad.', { status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] }))).toBe('auth')
    expect(classOf(400, error('Bad.', { details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] }))).toBe('rate_limit')
  })

  test.each([
    'messages: `tool_use` ids must be unique',
    'messages.4: all messages must have non-empty content except for the optional final assistant message',
    'messages.0.content.2.text: cache_control cannot be set for empty text blocks',
    'Please ensure that function response turn comes immediately after a function call turn.',
    'Thought signature is not valid.',
    'Unable to submit request because it must have a text parameter. Add a text parameter and try again.',
    'contents is not specified',
    'invalid request: tool call id not found in previous tool calls',
    'Tool call id was call_x but must be a-z, A-Z, 0-9, with a length of 9.',
    'Invalid request: text content is empty',
    'Please use a valid role: user, model.',
    'Each message must have at least one content element.',
    'Tool results are missing for tool calls: call_1',
    'An assistant message cannot be empty',
    'tool_use.id should match pattern',
    'A conversation must start with a user message.',
    'tool_call_id  is not found',
    'Cannot have 2 or more assistant messages at the end of the list.',
    'Message at index 3 has an empty content',
    'System message must be at the beginning.',
    'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    '* GenerateContentRequest.contents[2].parts: contents.parts must not be empty.',
  ])('W10 a history that is not accepted: %s', (words) => {
    expect(classOf(400, error(words, { type: 'invalid_request_error' }))).toBe('invalid_history')
  })

  test('W10 what is wrong with a picture, or with the length of a field, is no matter of the order', () => {
    expect(classOf(400, error("Invalid 'messages[1].tool_calls[0].id': string too long."))).toBe('provider')
    expect(classOf(400, error('messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6 > 5'))).toBe('provider')
  })

  test.each([
    'Tool name must match pattern ^[a-zA-Z0-9_-]{1,64}$',
    'tool_choice is not supported by this model',
    'The maximum number of tools is 128',
    'reasoning_effort must be one of low, medium, high',
    'Image exceeds the limit of 20 MB',
    'File input is too large',
  ])('W10 a setting that is not accepted is no matter of the history: %s', (words) => {
    expect(classOf(400, error(words))).toBe('provider')
  })

  test('W10 what a model wrote into a call that its server could not read decides nothing, and may be tried again', () => {
    const raw = '{"path":"a","content":"The context window must be empty, no credits, invalid api key"}]'
    for (const words of [`error parsing tool call: raw='${raw}', err=invalid character`, `Failed to parse input at pos 12: ${raw}`]) {
      expect(classifyFailure({ status: 500, body: error(words) })).toMatchObject({ class: 'provider', transient: true })
    }
    const failed = error('Failed to call a function.', { code: 'tool_use_failed', failed_generation: raw })
    expect(classifyFailure({ status: 400, body: failed })).toMatchObject({ class: 'provider', transient: true })
  })

  test('W10 one request beyond the limit of a minute is too large, also with 413', () => {
    const body = error('Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 8123', {
      code: 'rate_limit_exceeded',
    })
    expect(classOf(413, body)).toBe('request_too_large')
  })

  test('W10 Chinese words for a limit and for a crowd, where no status says so', () => {
    expect(classOf(400, error('您的账户已达到速率限制，请您控制请求频率'))).toBe('rate_limit')
    expect(classOf(500, error('系统繁忙，请稍后再试'))).toBe('overloaded')
    expect(classOf(400, error('该模型当前访问量过大，请您稍后再试'))).toBe('overloaded')
  })

  test('W10 an error that is quoted as text inside the message is read', () => {
    const inner = JSON.stringify(error('Slow down.', { status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '34s' }] }), null, 2)
    const failure = classifyFailure({ status: 500, body: error(inner, { code: 500 }) })
    expect(failure).toMatchObject({ class: 'rate_limit', retryAfterMs: 34_000, message: expect.stringContaining('Slow down.') })
  })

  test('W10 what the server behind a gateway said is told, in whatever form it is quoted', () => {
    for (const raw of ['error code: 1015', error('error code: 1015'), JSON.stringify(error('error code: 1015'))]) {
      const body = error('Provider returned error', { code: 429, metadata: { raw, provider_name: 'K' } })
      expect(classifyFailure({ status: 200, body })).toMatchObject({
        class: 'rate_limit',
        message: expect.stringContaining('said (429): Provider returned error error code: 1015'),
      })
    }
  })

  test.each([
    ['status_msg', 'base_resp'],
    ['error_message', 'x'],
    ['errorMessage', 'x'],
    ['error_description', 'x'],
    ['title', 'x'],
  ])('W10 the field %s may hold what the server said', (name, holder) => {
    expect(classifyFailure({ status: 500, body: { [holder]: { [name]: 'The pump is broken.' } } }).message).toContain('The pump is broken.')
  })

  test.each<[string, number | undefined, number]>([
    ['an estimate for the model that is loading', waitOf({ error: 'Model x is loading', estimated_time: 20.5 }), 20_500],
    ['a field in milliseconds', waitOf({ error: 'x', retry_after_ms: 900 }), 900],
    ['a field in camel case', waitOf({ error: { retryAfter: 4 } }), 4000],
    ['a field in seconds by name', waitOf({ error: { retry_after_seconds: 6 } }), 6000],
    ['a field of ChatGPT’s plans', waitOf({ error: { resets_in_seconds: 756 } }), 756_000],
    ['a duration in a field', waitOf({ error: { retry_after: '8s' } }), 8000],
    [
      'the header of the limit that is used up, of several',
      waitOf('', {
        'x-ratelimit-remaining-requests': '99',
        'x-ratelimit-reset-requests': '120ms',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '6m0s',
      }),
      360_000,
    ],
    ['a header of a reset', waitOf('', { 'x-ratelimit-reset-after': '30' }), 30_000],
    ['words of what is available again', waitOf(error('Limit reached, available again in 90 seconds')), 90_000],
    ['a header of Azure', waitOf('', { 'x-ms-retry-after-ms': '700' }), 700],
    ['words with "and"', waitOf(error('Try again in 1 minute and 30 seconds.')), 90_000],
    ['words of a reset', waitOf(error('Limit reached. It resets in 45s.')), 45_000],
    ['Chinese words', waitOf(error('请求过于频繁，请 30 秒后重试')), 30_000],
    ['more Chinese words', waitOf(error('请在2分钟后再试')), 120_000],
  ])('W10 a time to wait is read from %s', (_, read, right) => {
    expect(read).toBe(right)
  })
})
