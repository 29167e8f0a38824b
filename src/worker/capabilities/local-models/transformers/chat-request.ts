// A request of OpenAI chat in the form that the chat templates of models want it: what they print as JSON must not be JSON already.

export type ChatMessage = {
  readonly role: string
  readonly content?: string | null
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[]
}

/** The part of a request that is honoured. Texts only. */
export type ChatRequest = {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly object[]
  readonly temperature?: number
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly stop?: string | readonly string[]
}

type TemplateMessage = { readonly role: string; readonly content: string }

/** Arguments that cannot be read stay the text that they are. */
const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

export const templateMessages = (messages: readonly ChatMessage[]): TemplateMessage[] =>
  messages.map(({ content, tool_calls: calls, ...message }) => ({
    ...message,
    content: content ?? '',
    ...(calls === undefined
      ? {}
      : { tool_calls: calls.map((call) => ({ ...call, function: { ...call.function, arguments: parsed(call.function.arguments) } })) }),
  }))

export const stopsOf = ({ stop = [] }: ChatRequest): readonly string[] =>
  (typeof stop === 'string' ? [stop] : stop).filter((one) => one !== '')

/** Tokens that the answer may have: what is asked for, if there is room. Errors: words that mean a context overflow. */
export const roomFor = (request: ChatRequest, promptTokens: number, contextWindow: number): number => {
  const room = contextWindow - promptTokens
  if (room <= 0) throw new Error(`the request (${promptTokens} tokens) exceeds the available context size (${contextWindow} tokens)`)
  return Math.max(1, Math.min(room, request.max_completion_tokens ?? request.max_tokens ?? room))
}
