// Judges what a case says of the next request to the same vendor: reasoning and arguments go back in that vendor's form.
import type { ToolSchema } from '../../src/storage/log/model-call.ts'
import type { LlmRequest } from '../../src/worker/hooks/llm.ts'
import { type Fields, fieldsOf, unknownKeys } from './expectations.ts'
import type { Observed } from './observe-stream.ts'
import type { Vendor } from './vendors/vendor.ts'

export const judgeReplay = (replay: Fields, vendor: Vendor, seen: Observed, tools: readonly ToolSchema[]): readonly string[] =>
  Object.entries(replay).flatMap(([name, expectation]) => {
    // `openai-chat/deepseek`: a dialect of that wire.
    if (name.split('/')[0] !== vendor.api) {
      // Of other vendors a case can say in words only that they do not get it.
      return unknownKeys(fieldsOf(expectation), [], `expect.replay.${name}.`).map((problem) => `${problem}, for a case of ${vendor.api}`)
    }
    const body = vendor.write(nextRequest(seen, tools), {}, () => undefined)
    return [
      ...vendor.historyProblems(body).map((problem) => `expect.replay.${name}: ${problem}`),
      ...vendor.judgeReplay(fieldsOf(expectation), body, `expect.replay.${name}.`),
    ]
  })

const nextRequest = (seen: Observed, tools: readonly ToolSchema[]): LlmRequest => ({
  provider: 'vendor',
  model: 'm-test',
  tools,
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    { role: 'assistant', content: seen.blocks, provenance: { provider: 'vendor', model: 'm-test' } },
    ...seen.blocks.flatMap((block) =>
      block.type === 'tool-call'
        ? [
            {
              role: 'user' as const,
              content: [
                { type: 'tool-result' as const, toolCallId: block.id, content: [{ type: 'text' as const, text: 'done' }], isError: false },
              ],
            },
          ]
        : [],
    ),
  ],
})
