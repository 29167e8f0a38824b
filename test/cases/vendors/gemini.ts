// How the runner judges Gemini's streamGenerateContent.
import { gemini } from '../../../src/worker/llm/adapters/gemini.ts'
import { geminiReader } from '../../../src/worker/llm/wire/gemini/read-reply.ts'
import { writeGeminiRequest } from '../../../src/worker/llm/wire/gemini/write-request.ts'
import { geminiHistoryProblems } from '../../kit/gemini-history-checker.ts'
import { contains, type Fields, fieldsOf, isFields, listOf, mismatch } from '../expectations.ts'
import type { Vendor } from './vendor.ts'

export const geminiVendor: Vendor = {
  api: 'gemini',
  providers: ['google', 'google-gemini', 'gemini-native'],
  reader: geminiReader,
  write: (request, info, picture) => writeGeminiRequest(request, { info, picture }),
  historyProblems: geminiHistoryProblems,
  adapter: gemini,
  contents(body) {
    const parts = listOf(body.contents).flatMap((content) => listOf(fieldsOf(content).parts).map(fieldsOf))
    return {
      calls: parts.flatMap(({ functionCall: call }) => (isFields(call) ? [{ id: String(call.id), args: call.args }] : [])),
      results: parts.flatMap(({ functionResponse: response }) => {
        if (!isFields(response)) return []
        const { output, error } = fieldsOf(response.response)
        return [{ id: String(response.id), text: String(output ?? error) }]
      }),
      pictures: parts.filter((part) => part.inlineData !== undefined).length,
    }
  },
  judgeReplay(wanted, body, where) {
    const model = fieldsOf(listOf(body.contents).find((content) => fieldsOf(content).role === 'model'))
    return Object.entries(wanted).flatMap(([key, value]) => {
      if (key === 'rule') return []
      if (key === 'parts') return judgeParts(listOf(value).map(fieldsOf), listOf(model.parts).map(fieldsOf), `${where}parts`)
      if (key === 'message') return contains(model, value) ? [] : [mismatch(`${where}message`, value, model)]
      return [`unknown key ${where}${key}`]
    })
  },
}

/**
 * The parts named are among those written, in this order. A call may be named by its id or name alone; `thoughtSignature: null`
 * means that there is none.
 */
const judgeParts = (wanted: readonly Fields[], written: readonly Fields[], where: string): readonly string[] => {
  let from = 0
  return wanted.flatMap((part, index) => {
    const at = written.findIndex((candidate, position) => position >= from && isNamed(candidate, part))
    if (at < 0) return [mismatch(`${where}[${index}]`, part, written)]
    from = at + 1
    const { functionCall: call, ...rest } = part
    const fits = Object.entries({ ...rest, ...(isFields(call) ? { functionCall: call } : {}) }).every(([key, value]) =>
      value === null ? written[at]?.[key] === undefined : contains(written[at]?.[key], value),
    )
    return fits ? [] : [mismatch(`${where}[${index}]`, part, written[at])]
  })
}

const isNamed = (candidate: Fields, { functionCall: call, text }: Fields): boolean => {
  if (call === undefined) return candidate.functionCall === undefined && (text === undefined || candidate.text === text)
  const written = candidate.functionCall
  if (!isFields(written)) return false
  return typeof call === 'string' ? written.id === call || written.name === call : contains(written, call)
}
