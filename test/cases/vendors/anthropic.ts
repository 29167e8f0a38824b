// How the runner judges Anthropic's Messages.
import { anthropic } from '../../../src/worker/llm/adapters/anthropic.ts'
import { anthropicReader } from '../../../src/worker/llm/wire/anthropic/read-reply.ts'
import { writeAnthropicRequest } from '../../../src/worker/llm/wire/anthropic/write-request.ts'
import { anthropicHistoryProblems } from '../../kit/anthropic-history-checker.ts'
import { contains, fieldsOf, listOf, mismatch } from '../expectations.ts'
import type { Vendor } from './vendor.ts'

export const anthropicVendor: Vendor = {
  api: 'anthropic-messages',
  providers: ['anthropic', 'claude'],
  reader: anthropicReader,
  write: (request, info, picture) => writeAnthropicRequest(request, { info, picture }),
  historyProblems: anthropicHistoryProblems,
  adapter: anthropic,
  contents(body) {
    const blocks = listOf(body.messages).flatMap((message) => listOf(fieldsOf(message).content).map(fieldsOf))
    return {
      calls: blocks.filter(({ type }) => type === 'tool_use').map(({ id, input }) => ({ id: String(id), args: input })),
      results: blocks
        .filter(({ type }) => type === 'tool_result')
        .map(({ tool_use_id: id, content }) => ({
          id: String(id),
          text: listOf(content)
            .flatMap((part) => fieldsOf(part).text ?? [])
            .join('\n'),
        })),
      pictures: JSON.stringify(body).split('"type":"image"').length - 1,
    }
  },
  judgeReplay(wanted, body, where) {
    const assistant = fieldsOf(listOf(body.messages).find((message) => fieldsOf(message).role === 'assistant'))
    return Object.entries(wanted).flatMap(([key, value]) => {
      if (key === 'rule') return []
      if (key === 'message') return contains(assistant, value) ? [] : [mismatch(`${where}message`, value, assistant)]
      if (!['blocks', 'parts', 'content'].includes(key)) return [`unknown key ${where}${key}`]
      return contains(assistant.content, value) ? [] : [mismatch(`${where}${key}`, value, assistant.content)]
    })
  },
}
