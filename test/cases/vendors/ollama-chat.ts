// How the runner judges Ollama's native chat.
import { ollama } from '../../../src/worker/llm/adapters/ollama.ts'
import { ollamaChatReader } from '../../../src/worker/llm/wire/ollama-chat/read-reply.ts'
import { writeOllamaRequest } from '../../../src/worker/llm/wire/ollama-chat/write-request.ts'
import { ollamaHistoryProblems } from '../../kit/ollama-history-checker.ts'
import { contains, fieldsOf, listOf, mismatch } from '../expectations.ts'
import type { Vendor } from './vendor.ts'

export const ollamaChatVendor: Vendor = {
  api: 'ollama-chat',
  providers: ['ollama', 'ollama-native'],
  reader: ollamaChatReader,
  write: (request, info, picture) => writeOllamaRequest(request, { info, picture }),
  historyProblems: ollamaHistoryProblems,
  adapter: ollama,
  contents(body) {
    const messages = listOf(body.messages).map(fieldsOf)
    return {
      calls: messages
        .flatMap((message) => listOf(message.tool_calls).map(fieldsOf))
        .map((call) => ({ id: String(call.id), args: fieldsOf(call.function).arguments })),
      results: messages
        .filter(({ role }) => role === 'tool')
        .map((message) => ({ id: String(message.tool_call_id), text: String(message.content) })),
      pictures: messages.flatMap((message) => listOf(message.images)).length,
    }
  },
  judgeReplay(wanted, body, where) {
    const assistant = fieldsOf(listOf(body.messages).find((message) => fieldsOf(message).role === 'assistant'))
    return Object.entries(wanted).flatMap(([key, value]) => {
      if (key === 'rule') return []
      if (key !== 'message') return [`unknown key ${where}${key}`]
      return contains(assistant, value) ? [] : [mismatch(`${where}message`, value, assistant)]
    })
  },
}
