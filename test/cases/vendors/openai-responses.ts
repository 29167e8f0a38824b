// How the runner judges OpenAI Responses.
import { openaiResponses } from '../../../src/worker/llm/adapters/openai-responses.ts'
import { responsesReader } from '../../../src/worker/llm/wire/openai-responses/read-reply.ts'
import { writeResponsesRequest } from '../../../src/worker/llm/wire/openai-responses/write-request.ts'
import { responsesHistoryProblems } from '../../kit/responses-history-checker.ts'
import { contains, fieldsOf, listOf, mismatch } from '../expectations.ts'
import type { Vendor } from './vendor.ts'

export const openaiResponsesVendor: Vendor = {
  api: 'openai-responses',
  providers: ['responses'],
  reader: responsesReader,
  write: (request, info, picture) => writeResponsesRequest(request, { info, picture }),
  historyProblems: responsesHistoryProblems,
  adapter: openaiResponses,
  contents(body) {
    const items = listOf(body.input).map(fieldsOf)
    return {
      calls: items
        .filter(({ type }) => type === 'function_call')
        .map((call) => ({ id: String(call.call_id), args: JSON.parse(String(call.arguments)) })),
      results: items
        .filter(({ type }) => type === 'function_call_output')
        .map(({ call_id: id, output }) => ({ id: String(id), text: String(output) })),
      pictures: JSON.stringify(body).split('"type":"input_image"').length - 1,
    }
  },
  judgeReplay(wanted, body, where) {
    const items = listOf(body.input)
    return Object.entries(wanted).flatMap(([key, value]) => {
      if (key === 'rule') return []
      if (!['items', 'input', 'output', 'parts', 'blocks'].includes(key)) return [`unknown key ${where}${key}`]
      // Those named are among those written, in this order.
      let from = 0
      return listOf(value).flatMap((item, index) => {
        const at = items.findIndex((candidate, position) => position >= from && contains(candidate, item))
        if (at >= 0) from = at + 1
        return at < 0 ? [mismatch(`${where}${key}[${index}]`, item, items)] : []
      })
    })
  },
}
