// Judges what a case says of the next request to the same vendor: reasoning and arguments go back in that vendor's form.
import type { ToolSchema } from '../../src/storage/log/model-call.ts'
import type { LlmRequest } from '../../src/worker/hooks/llm.ts'
import { chatDialect } from '../../src/worker/llm/wire/openai-chat/dialects.ts'
import { writeChatRequest } from '../../src/worker/llm/wire/openai-chat/write-request.ts'
import { openaiHistoryProblems } from '../kit/openai-history-checker.ts'
import { contains, type Fields, fieldsOf, isFields, listOf, mismatch, same } from './expectations.ts'
import type { Observed } from './observe-stream.ts'

export const judgeReplay = (replay: Fields, api: string, seen: Observed, tools: readonly ToolSchema[]): readonly string[] => {
  const problems: string[] = []
  for (const [vendor, expectation] of Object.entries(replay)) {
    // `openai-chat/deepseek`: a dialect of that wire.
    if (api !== 'openai-chat' || vendor.split('/')[0] !== 'openai-chat') {
      problems.push(`expect.replay.${vendor} cannot be judged for ${api}`)
      continue
    }
    const body = nextRequest(seen, tools)
    problems.push(...openaiHistoryProblems(body).map((problem) => `expect.replay.${vendor}: ${problem}`))
    const assistant = fieldsOf(listOf(body.messages).find((message) => fieldsOf(message).role === 'assistant'))
    problems.push(...judgeMessage(fieldsOf(expectation), assistant, `expect.replay.${vendor}.`))
  }
  return problems
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

const nextRequest = (seen: Observed, tools: readonly ToolSchema[]): Fields => {
  const request: LlmRequest = {
    provider: 'vendor',
    model: 'm-test',
    tools,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
      { role: 'assistant', content: seen.blocks, provenance: { provider: 'vendor', model: 'm-test' } },
      ...seen.calls.map(({ id }) => ({
        role: 'user' as const,
        content: [{ type: 'tool-result' as const, toolCallId: id, content: [{ type: 'text' as const, text: 'done' }], isError: false }],
      })),
    ],
  }
  return writeChatRequest(request, { dialect: chatDialect('https://vendor.example/v1', 'm-test') })
}
