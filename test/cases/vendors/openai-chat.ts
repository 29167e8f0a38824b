// How the runner judges OpenAI chat completions.
import { openaiChat } from '../../../src/worker/llm/adapters/openai-chat.ts'
import { chatDialect } from '../../../src/worker/llm/wire/openai-chat/dialects.ts'
import { openaiChatReader } from '../../../src/worker/llm/wire/openai-chat/read-reply.ts'
import { writeChatRequest } from '../../../src/worker/llm/wire/openai-chat/write-request.ts'
import { openaiHistoryProblems } from '../../kit/openai-history-checker.ts'
import { contains, type Fields, fieldsOf, isFields, listOf, mismatch, same } from '../expectations.ts'
import type { Vendor } from './vendor.ts'

export const openaiChatVendor: Vendor = {
  api: 'openai-chat',
  providers: [],
  reader: openaiChatReader,
  write: (request, info, picture) =>
    writeChatRequest(request, { dialect: chatDialect('https://vendor.example/v1', request.model), info, picture }),
  historyProblems: openaiHistoryProblems,
  adapter: openaiChat,
  contents(body) {
    const messages = listOf(body.messages).map(fieldsOf)
    return {
      calls: messages
        .flatMap((message) => listOf(message.tool_calls).map(fieldsOf))
        .map((call) => ({ id: String(call.id), args: JSON.parse(String(fieldsOf(call.function).arguments)) })),
      results: messages
        .filter(({ role }) => role === 'tool')
        .map((message) => ({ id: String(message.tool_call_id), text: String(message.content) })),
      pictures: JSON.stringify(body).split('"image_url":{').length - 1,
    }
  },
  judgeReplay(wanted, body, where) {
    const assistant = fieldsOf(listOf(body.messages).find((message) => fieldsOf(message).role === 'assistant'))
    return judgeMessage(wanted, assistant, where)
  },
}

const judgeMessage = (wanted: Fields, assistant: Fields, where: string): readonly string[] =>
  Object.entries(wanted).flatMap(([key, value]) => {
    if (key === 'rule' || key === 'value') return []
    if (key === 'message') return contains(assistant, value) ? [] : [mismatch(`${where}${key}`, value, assistant)]
    if (key === 'parts') return contains(assistant.content, value) ? [] : [mismatch(`${where}${key}`, value, assistant.content)]
    const path = key.startsWith('assistant.') ? key.slice('assistant.'.length) : key.replace(/^toolCalls/, 'tool_calls')
    const actual = path
      .split(/[.[\]]+/)
      .filter(Boolean)
      .reduce<unknown>(step, assistant)
    if (Object.hasOwn(wanted, 'value')) {
      const isText = typeof actual === 'string' && same(JSON.parse(actual), wanted.value)
      return isText ? [] : [mismatch(`${where}${key}`, wanted.value, actual)]
    }
    return same(actual, value) ? [] : [mismatch(`${where}${key}`, value, actual)]
  })

const step = (value: unknown, key: string): unknown =>
  Array.isArray(value) ? value[Number(key)] : isFields(value) ? value[key] : undefined
