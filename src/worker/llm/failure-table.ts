// What is known of how model servers say that a call failed: one row per condition, with who words it so beside it.
import type { ModelFailureClass } from '../../storage/log/model-call.ts'

export type FailureRow = {
  readonly class: ModelFailureClass
  readonly transient: boolean
  /** Every condition that a row has must hold. `words` is matched in type, code, status name and message. */
  readonly status?: readonly number[]
  readonly words?: RegExp
  /** Matched in type, code, status name and reason only. */
  readonly kind?: RegExp
  /** The message's quoted names count for this row. For others they do not: a tool may be called `get_rate_limit`. */
  readonly namesCount?: true
  /** The row does not hold for these words. */
  readonly butNot?: RegExp
  /** The row does not hold when the server says how long to wait. */
  readonly noWait?: true
  /** What the person can do, in one or two sentences. */
  readonly advice: string
  readonly seen: string
}

const TOO_LONG =
  'The conversation is longer than this model can read at once. Shorten it, start a new one, or choose a model with a larger window.'
const NO_CREDIT = 'The quota of the account is used up. Check plan and billing with the provider, or choose another one.'
const NOT_IN_ORDER =
  'The server did not accept the order of the conversation. Try again; if it stays, start a new conversation and tell us.'
const BAD_REQUEST: readonly number[] = [400, 404, 409, 413, 422, 500]

/** Both within one sentence, in either order: servers say the same thing in ever new words. */
const near = (one: string, other: string): RegExp => {
  const between = String.raw`(?:[^.。]|\.(?=\S)){0,60}`
  return new RegExp(`(${one})${between}(${other})|(${other})${between}(${one})`, 'i')
}

const MONEY =
  '(?<![a-z_])(credits?|balance|quota|funds|payment|invoices?|billing|subscription)(?![a-z_])|(spend(ing)?|usage|credit|key) limits?|extra usage|余额|额度'
const USED_UP =
  'insufficient|exhausted|depleted|exceeded|reached|hit your|used up|used all|too low|not enough|out of|overdue|unpaid|require[sd]?|disabled|suspended|expired|top up|please (add|enter)|(?<![a-z])(no|not|any)(?![a-z])|不足|用尽|用完'
const KEY = 'api[_ -]?key|access token|bearer token|credentials?|authentication|密钥|令牌'
const NOT_ACCEPTED =
  'invalid|incorrect|wrong|missing|expired|revoked|leaked|deactivated|disabled|failed|could not|required|no longer|not (valid|found|accepted)|(?<![a-z])no(?![a-z])|无效|错误|过期'

const PART_OF_HISTORY =
  'tool[_ -]?(use|result|call|output)s?|function[_ ]?(call|response)|(assistant|user|tool|system|each|all|last|first|final) messages?|messages? (at|with)|(?<![a-z_])roles?(?![a-z_])|thinking.{0,30}blocks|reasoning_content'
const NOT_IN_PLACE =
  '(?<![a-z])must|should|missing|not found|without|unexpected|expected|unique|duplicate|empty|immediately|not match|number of|alternate|after role|at least one|did not|cannot be|no (?=tool)|at the (end|beginning)|preceed?ing'

/** The first row that holds decides. Limits come before overflow, because limits speak of tokens too. */
export const FAILURE_TABLE: readonly FailureRow[] = [
  {
    class: 'provider',
    transient: true,
    words: /pars(e|ing) (the )?(tool|function) call|failed to parse (input|output) at|tool_use_failed|output_parse_failed/i,
    advice: 'The model wrote a tool call that its server could not read. Try again.',
    seen: 'Ollama, 500: "error parsing tool call: raw=…"; llama.cpp, 500: "Failed to parse input at pos"; Groq, 400: tool_use_failed. They quote the model, whose words may say anything',
  },
  {
    class: 'provider',
    transient: false,
    kind: /invalid_function_parameters|unknown_parameter|missing_required_parameter/i,
    advice: 'The server did not accept this request. What it said names the tool or the setting to change.',
    seen: 'OpenAI, 400: these codes; their words hold names of tools and fields, which may say anything',
  },
  {
    class: 'request_too_large',
    transient: false,
    status: [413, 429],
    words: /request too large for/i,
    advice: 'One request is larger than the limit of this account allows in a minute. Shorten the conversation or use another model.',
    seen: 'OpenAI, 429, and Groq, 413: "Request too large for … on tokens per min"; waiting never helps',
  },
  {
    class: 'quota',
    transient: false,
    status: [402],
    advice: 'The account has no credit left. Add credit with the provider, or choose another one.',
    seen: 'OpenRouter and DeepSeek, 402: "Insufficient credits", "Insufficient Balance"',
  },
  {
    class: 'quota',
    transient: false,
    kind: /insufficient_quota|exceeded_current_quota|billing_|arrearage|overdue|budget_exceeded/i,
    advice: NO_CREDIT,
    seen: 'OpenAI, 429: insufficient_quota, billing_hard_limit_reached; Moonshot, 429: exceeded_current_quota_error; Anthropic, 403: billing_error; DashScope, 400: code Arrearage; Volcengine, 403: AccountOverdueError; LiteLLM, 400: budget_exceeded',
  },
  {
    class: 'quota',
    transient: false,
    words: /quota exceeded for .{0,200}\blimit: 0\b/i,
    advice: 'The account has no quota for this model at all. Choose another model, or another plan with the provider.',
    seen: 'Gemini, 429: "Quota exceeded for metric: …, limit: 0", with a retryDelay that does not help',
  },
  {
    class: 'quota',
    transient: false,
    words:
      /insufficient[_ ](quota|balance|credits?|funds)|not (available|included) in your (current )?(plan|subscription)|budget has been exceeded|exceeded (its|their|your) budget|欠费|请充值|使用上限/i,
    advice: NO_CREDIT,
    seen: 'LiteLLM, 400: "Budget has been exceeded!"; Zhipu, 429: "您的账户已欠费", "已达到 5 小时的使用上限"',
  },
  {
    class: 'quota',
    transient: false,
    noWait: true,
    words: near(MONEY, USED_UP),
    butNot: /rate[ _-]?limit|per (second|minute|hour)|per min|check quota|(try again|retry) in|retrydelay/i,
    advice: NO_CREDIT,
    seen: 'Anthropic, 400: "credit balance is too low", "reached your specified API usage limits"; xAI, 403: "doesn\'t have any credits", 429: "used all available credits or reached its monthly spending limit"; OpenRouter, 403: "Key limit exceeded"; Volcengine: "overdue balance"; MiniMax: "insufficient balance"; Zhipu, 429: "余额不足"; Google, 403: "Billing is not enabled"; Ollama, 429: "reached your weekly usage limit". Gemini words a mere limit so, but with a retryDelay',
  },
  {
    class: 'overloaded',
    transient: true,
    words:
      /overloaded|over capacity|at capacity|no capacity|capacity exceeded|server (is )?busy|too busy|model is (currently )?loading|insufficient_system_resource|high demand|high (load|traffic)|访问量过大|过载|繁忙/i,
    advice: 'The provider is overloaded at the moment. Try again in a while.',
    seen: 'Anthropic, 529: overloaded_error; Moonshot, 429: engine_overloaded_error; Mistral: "Service tier capacity exceeded"; llama.cpp, 503: "Loading model"; DeepSeek: finish reason insufficient_system_resource; Gemini, 503: "The model is overloaded"; Ollama, 503: "server busy"; Zhipu, code 1305: "访问量过大"; SiliconFlow, 503: "Model is too busy"',
  },
  {
    class: 'rate_limit',
    transient: true,
    status: [429],
    advice: 'The provider limits how often it may be asked. Wait a little, then try again.',
    seen: 'every provider; OpenAI: rate_limit_exceeded, also of type "tokens"',
  },
  {
    class: 'rate_limit',
    transient: true,
    words:
      /rate[_ ]?limit|too many requests|too many tokens.{0,30}(wait|per (second|min|hour|day))|tokens per (min|hour|day)|resource_exhausted|request limit reached|concurren(cy|t)\b.{0,20}(limit|exceed)|\bthrottl(ed|ing)(?!_)|速率限制|请求频率|请求过于频繁/i,
    advice: 'The provider limits how often it may be asked. Wait a little, then try again.',
    seen: 'errors inside a 200 stream, and gateways that answer 400 or 503 for a limit of the model behind them; Bedrock: "Too many tokens, please wait", ThrottlingException; Baidu: "qps request limit reached"; Zhipu, code 1302: "速率限制"',
  },
  {
    class: 'auth',
    transient: false,
    words: /cors requests (are not allowed|must set)/i,
    advice:
      'The organisation that this key belongs to does not allow calls from a browser. Ask its administrator, use a key of another organisation, or a proxy of your own.',
    seen: 'Anthropic, 401: "CORS requests are not allowed for this Organization because of its settings", "CORS requests must set …"',
  },
  {
    class: 'auth',
    transient: false,
    status: [400, 401, 403],
    words:
      /unsupported[_ ](countr|region|location)|(country|region|territory|location) (is )?not supported|not (available|supported|allowed) (in|from) (your|this) (current )?(country|region|territory|location)/i,
    advice: 'The provider does not serve this country or region.',
    seen: 'OpenAI, 403: unsupported_country_region_territory; Gemini, 400: "User location is not supported"; OpenRouter, 403: "not available in your region"; Bedrock: "unsupported countries, regions, or territories"',
  },
  {
    class: 'provider',
    transient: false,
    words: /content[_ ](filter|policy|management)|moderation|flagged|safety system/i,
    advice: 'The provider refused the content of this request. Rephrase it, or choose another model.',
    seen: 'Azure, 400: content_filter; OpenRouter, 403: "requires moderation"; OpenAI: content_policy_violation',
  },
  {
    class: 'auth',
    transient: false,
    words: near(KEY, NOT_ACCEPTED),
    advice: 'The key was not accepted. Check it in the settings of this provider.',
    seen: 'OpenAI, 401: invalid_api_key; xAI, 400: "Incorrect API key provided"; Gemini, 400: "API key not valid", "API key expired", reason API_KEY_INVALID; OpenRouter, 401: "No auth credentials found"; Baidu: "Access token invalid or no longer valid"',
  },
  {
    class: 'auth',
    transient: false,
    words: /authentication[_ ]error|unauthenticated|missing bearer|invalid[_ ](token|authentication)|permission[_ ]error/i,
    advice: 'The key was not accepted. Check it in the settings of this provider.',
    seen: 'Anthropic: authentication_error, permission_error, also inside a stream; Google: UNAUTHENTICATED',
  },
  {
    class: 'auth',
    transient: false,
    status: [401, 403],
    advice: 'The provider did not let this request in. Check the key, and whether it may use this model.',
    seen: 'general: 401 unknown key, 403 a key without this permission',
  },
  {
    class: 'context_overflow',
    transient: false,
    words:
      /context[ _-]?(window|length|size|limit)|exceeds? .{0,30}context|(prompt|input) (is )?too long|too many (input )?tokens|reduce (the )?(length|number) of (the |your )?(messages|prompt|input|tokens)|max(imum)?[ _](prompt|input|sequence|model)[ _]len|max_seq_len|exceeded model token limit|token limit exceeded|max(imum)? tokens? (of \d+ exceeded|exceeded|limit)|exceeds? the maximum number of (input )?tokens|n_keep|cannot truncate prompt|range of input length should be|tokens \+ \S{1,20} must be <=|must have less than \d+ tokens|trying to keep the first \d+ tokens when|exceed max message tokens/i,
    butNot: /does not support|not supported|not found|unsupported/i,
    advice: TOO_LONG,
    seen: 'OpenAI: context_length_exceeded, "Input tokens exceed the configured limit of"; vLLM: "maximum context length is", "decoder prompt (length …) is longer than the maximum model length"; Ollama: "prompt too long; exceeded max context length"; llama.cpp: exceed_context_size_error; Anthropic: "prompt is too long", "exceed context limit"; Gemini: "input token count … exceeds"; xAI: "maximum prompt length is"; LM Studio: "greater than the context length", "Trying to keep the first … tokens when context the overflows"; Moonshot: "exceeded model token limit"; MiniMax: "context window exceeds limit"; Qwen: "Range of input length should be"; TGI: "`inputs` tokens + `max_new_tokens` must be <=", "`inputs` must have less than"; SGLang: "longer than the model\'s context length"; LiteLLM: ContextWindowExceededError; Volcengine: "Total tokens of image and text exceed max message tokens"; Zhipu: "Prompt exceeds max length"; llama-cpp-python: "exceed context window of"',
  },
  {
    class: 'context_overflow',
    transient: false,
    words:
      /\b(prompt|inputs?|context|conversation|sequence|tokens?|current length)\b[^.]{0,80}(\bexceed\w*|(longer|larger|greater|more) than|over the|>|\bwhile)\b[^.]{0,40}(context|window|max|limit|allowed|supported)|\b(prompt|input|context|conversation|sequence)\b[^.]{0,40} too (long|large)\b|(上下文|输入|提示|prompt|token)[^。]{0,20}(超过|超出|超长|过长|超限)|超(过|出|限)[^。]{0,20}(上下文|长度)/i,
    butNot:
      /(output|completion|new|max)_tokens|(output|completion) tokens|maximum tokens you|tokens to generate|budget|image|picture|audio|video|\b(files?|should|must)\b|\d [kmg]i?b\b/i,
    advice: TOO_LONG,
    seen: 'the kind of words, for servers that nobody has met: Poolside: "exceeds the maximum allowed input length"; Gemini: "The input token count … exceeds the maximum"; Copilot: "prompt token count of … exceeds the limit"; Cerebras: "Current length is … while limit is"; Cohere: "total tokens exceeds the model\'s max"; Zhipu: "tokens in request more than max tokens allowed"; llama.cpp, 500: "is too large to process". Words on the length of the answer or on pictures are of other kinds',
  },
  {
    class: 'context_overflow',
    transient: false,
    kind: /(^| )1261( |$)/,
    advice: TOO_LONG,
    seen: 'Zhipu, 400: code 1261, whose words may be Chinese only',
  },
  {
    class: 'request_too_large',
    transient: false,
    words: /request_too_large|(payload|entity|request|body) (is )?too large|exceeds? the maximum size/i,
    advice: 'The request has more bytes than the server takes. Remove pictures or large results, or start a new conversation.',
    seen: 'Anthropic, 413: request_too_large; nginx, 413: "Request Entity Too Large"',
  },
  {
    class: 'request_too_large',
    transient: false,
    status: [413],
    advice: 'The request has more bytes than the server takes. Remove pictures or large results, or start a new conversation.',
    seen: 'general meaning of 413',
  },
  {
    class: 'invalid_history',
    transient: false,
    status: BAD_REQUEST,
    namesCount: true,
    words: near(PART_OF_HISTORY, NOT_IN_PLACE),
    advice: NOT_IN_ORDER,
    seen: 'OpenAI: "must be followed by tool messages", "No tool output found for function call"; Anthropic: "tool_use ids were found without tool_result", "`tool_use` ids must be unique", "first message must use", "all messages must have non-empty content"; Gemini: "number of function response parts", "function call turn comes immediately after", "missing a thought_signature"; Mistral: "Unexpected role … after role", "Expected last role"; Cohere: "tool call id not found"; DeepSeek: "reasoning_content … must be passed back"; xAI: "Each message must have at least one content element"; Gemma and Llama templates: "roles must alternate"',
  },
  {
    class: 'invalid_history',
    transient: false,
    status: BAD_REQUEST,
    namesCount: true,
    words:
      /message_order|use a valid role|(text|content)s? (blocks? )?(is empty|is not specified|must)|assistant message prefill|trailing whitespace|invalid .?signature|thought.?signature|expected .?thinking|required following item|without its required .?reasoning|encrypted[_ ]content.{0,60}(could not be|decrypt)|could not decrypt|duplicate item|item with id .{0,80}not found|conversation must|must have a text parameter/i,
    advice: NOT_IN_ORDER,
    seen: 'Anthropic: "text content blocks must be non-empty", "final assistant content cannot end with trailing whitespace", "does not support assistant message prefill", "Invalid `signature` in `thinking` block", "Expected `thinking` …, but found"; OpenAI Responses: "without its required following item", invalid_encrypted_content; xAI: "Could not decrypt"; Moonshot: "text content is empty"; Bedrock: "A conversation must start with"; Vertex: "must have a text parameter"',
  },
  {
    class: 'invalid_history',
    transient: false,
    status: BAD_REQUEST,
    words: /\b(messages?|contents)(: |\.\d|\[\d)/i,
    butNot: /\b(images?|pictures?|media|documents?|audio|video)\b/i,
    advice: NOT_IN_ORDER,
    seen: 'whatever is said of a numbered message, other than of a picture in it: Anthropic: "messages.3.content.0", Gemini: "contents[3].parts"',
  },
  {
    class: 'provider',
    transient: false,
    status: [404],
    namesCount: true,
    words: /^model ['"].{1,200}['"] not found|try pulling it/i,
    advice: 'This model is not on the server yet. Fetch it there with "ollama pull" and its name, or choose another one in the settings.',
    seen: 'Ollama, 404: "model \'…\' not found", before 0.13 with "try pulling it first"',
  },
  {
    class: 'provider',
    transient: false,
    words: /does not support (tools|thinking|images|vision|image input)|no endpoints found that support/i,
    advice: 'This model cannot do what was asked of it. Choose another one in the settings, or switch that off for this one.',
    seen: 'Ollama, 400: "… does not support tools", "… does not support thinking"; OpenRouter, 404: "No endpoints found that support tool use"',
  },
  {
    class: 'provider',
    transient: false,
    words:
      /model.{0,120}(not found|does not exist|not exist|is not a valid|is not supported|no longer available)|no such model|unknown model|model_not_found|^model: .{0,120}not_found_error/i,
    advice: 'The provider does not know this model. Choose another one in the settings; a local server may have to download it first.',
    seen: 'OpenAI, 404: model_not_found; Ollama, 404: "model … not found, try pulling it first"; OpenRouter, 400: "is not a valid model ID"; Anthropic, 404: not_found_error, "model: …"',
  },
  {
    class: 'provider',
    transient: false,
    status: [404, 405],
    advice: 'Nothing answers at this address. Check the base URL of the provider; for most servers it ends in /v1.',
    seen: 'general: a base URL without its path',
  },
  {
    class: 'provider',
    transient: false,
    words: /more system memory|out of memory|not enough memory|failed to load model|unable to load model/i,
    advice: 'The server cannot load this model. Choose a smaller one, or free memory where it runs.',
    seen: 'Ollama, 500: "model requires more system memory"; LM Studio: "Failed to load model"',
  },
  {
    class: 'overloaded',
    transient: true,
    status: [503, 529],
    advice: 'The provider cannot serve this at the moment. Try again in a while.',
    seen: 'general meaning of 503; Anthropic: 529',
  },
  {
    class: 'provider',
    transient: true,
    status: [408, 425, 500, 502, 504, 520, 521, 522, 523, 524, 525, 527, 530],
    advice: 'The server had a fault of its own. Try again.',
    seen: 'general; 52x are Cloudflare in front of many providers',
  },
  {
    class: 'provider',
    transient: false,
    words: /invalid[_ ]request|bad[_ ]?request|unprocessable|unsupported[_ ](parameter|value)|invalid[_ ](argument|parameter|value)/i,
    advice: 'The server did not accept this request. What it said may name the setting to change.',
    seen: 'OpenAI: invalid_request_error; vLLM: BadRequestError; Gemini: INVALID_ARGUMENT',
  },
]
