// The writer of Anthropic requests: a request of the loop → the JSON body. Pure: pictures come in as ready URLs.
import type { JsonObject } from '../../../../storage/log/content.ts'
import type { LlmRequest, ModelInfo } from '../../../hooks/llm.ts'
import { validHistory } from '../history.ts'
import { objectSchema } from '../object-schema.ts'
import { type FindPicture, picturesFor } from '../pictures.ts'
import { wellFormed } from '../well-formed.ts'
import type { IdAlphabet } from '../wire-ids.ts'
import { withoutTools } from '../without-tools.ts'
import { anthropicDialect } from './dialects.ts'
import { thinkingFields } from './effort.ts'
import { type AnthropicMessage, writeTurns } from './write-turns.ts'

export type WriteOptions = { readonly info?: ModelInfo; readonly picture?: FindPicture }

/** "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'" */
const IDS: IdAlphabet = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 }

/** The API has no default of its own. A known model's limit, but no more than a reply needs: the window is shared with it. */
const REPLY_TOKENS = { known: 32_000, unknown: 8192 }

const BREAKPOINT = { cache_control: { type: 'ephemeral' } }

export const writeAnthropicRequest = (request: LlmRequest, { info = {}, picture }: WriteOptions): JsonObject => {
  const dialect = anthropicDialect(request.model)
  const { provider, model, system } = request
  const valid = validHistory(request.messages, IDS)
  const turns = info.tools === false ? withoutTools(valid) : valid
  const written = writeTurns(turns, { provider, model, dialect, pictures: picturesFor(info, picture) })
  const maxTokens = request.maxTokens ?? Math.min(info.maxOutput ?? REPLY_TOKENS.unknown, REPLY_TOKENS.known)
  const asked = thinkingFields(request.effort, dialect, maxTokens)
  // Thinking by budget cannot begin inside a loop that began without: "Expected `thinking` or `redacted_thinking`, but found `tool_use`".
  const thinking = isBudget(asked) && !dialect.unsigned && loopLacksThinking(written) ? {} : asked
  const messages = whole(written, dialect.prefill && !isBudget(thinking))
  const tools = info.tools === false ? [] : (request.tools ?? [])
  const stop = (request.stop ?? []).filter((sequence) => sequence.trim() !== '')
  const mark = dialect.cacheMarks ? BREAKPOINT : {}
  return {
    model,
    max_tokens: maxTokens,
    ...(system === undefined || system.trim() === '' ? {} : { system: [{ type: 'text', text: wellFormed(system), ...mark }] }),
    messages: dialect.cacheMarks ? withBreakpoint(messages) : messages,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            ...(description === '' ? {} : { description: wellFormed(description) }),
            input_schema: objectSchema(parameters),
          })),
        }),
    ...(request.temperature === undefined || !dialect.temperature || isBudget(thinking) ? {} : { temperature: request.temperature }),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
    ...thinking,
    stream: true,
  }
}

const isBudget = ({ thinking }: JsonObject): boolean =>
  typeof thinking === 'object' && thinking !== null && 'type' in thinking && thinking.type === 'enabled'

const isThinking = (block: JsonObject | undefined): boolean => block?.type === 'thinking' || block?.type === 'redacted_thinking'

/** In the tool loop that is under way: the replies with calls since the person last spoke. */
const loopLacksThinking = (messages: readonly AnthropicMessage[]): boolean => {
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && content[0]?.type !== 'tool_result')
  return messages.slice(asked + 1).some(({ content }) => content.some(({ type }) => type === 'tool_use') && !isThinking(content[0]))
}

const said = (text: string): AnthropicMessage => ({ role: 'user', content: [{ type: 'text', text }] })

/** The first word is the user's; the last too, where a reply that is begun cannot be gone on with. */
const whole = (messages: readonly AnthropicMessage[], prefill: boolean): readonly AnthropicMessage[] => {
  if (messages.length === 0) return [said('(empty message)')]
  return [
    ...(messages[0]?.role === 'assistant' ? [said('(The conversation begins with a reply.)')] : []),
    ...messages,
    ...(messages.at(-1)?.role === 'assistant' && !prefill ? [said('(Go on from where you stopped.)')] : []),
  ]
}

/** What comes up to here is read from the cache the next time, which in a tool loop is nearly everything. */
const withBreakpoint = (messages: readonly AnthropicMessage[]): readonly AnthropicMessage[] => {
  const index = messages.findLastIndex(({ role }) => role === 'user')
  return messages.map((message, at) => {
    if (at !== index) return message
    const { role, content } = message
    return { role, content: content.map((block, position) => (position === content.length - 1 ? { ...block, ...BREAKPOINT } : block)) }
  })
}
