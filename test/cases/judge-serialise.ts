// Judges `serialise` cases: a text, cut or not, is whole characters after the request body was sent and parsed again.
import { chatDialect } from '../../src/worker/llm/wire/openai-chat/dialects.ts'
import { writeChatRequest } from '../../src/worker/llm/wire/openai-chat/write-request.ts'
import { cutText } from '../../src/worker/llm/wire/well-formed.ts'
import { pairCases } from './case-files.ts'
import { fieldsOf, listOf, mismatch, unknownKeys } from './expectations.ts'

export const judgeSerialise = (raw: unknown, expectation: unknown): readonly string[] =>
  pairCases(raw, expectation).flatMap(({ n, input, expected }) => {
    const units = String(input.utf16 ?? '')
      .split(/\s+/)
      .filter(Boolean)
    const text = String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)))
    const cut = typeof input.limitUnits === 'number' ? cutText(text, input.limitUnits) : text
    // As a result, between two marks: blanks at its ends belong to it.
    const call = { type: 'tool-call' as const, id: 'c1', name: 'print', arguments: '{}' }
    const result = {
      type: 'tool-result' as const,
      toolCallId: 'c1',
      content: [{ type: 'text' as const, text: `[${cut}]` }],
      isError: false,
    }
    const body = writeChatRequest(
      {
        provider: 'vendor',
        model: 'm',
        messages: [
          { role: 'assistant', content: [call], provenance: { provider: 'vendor', model: 'm' } },
          { role: 'user', content: [result] },
        ],
      },
      { dialect: chatDialect('https://vendor.example/v1', 'm') },
    )
    const sent: unknown = JSON.parse(new TextDecoder().decode(new TextEncoder().encode(JSON.stringify(body))))
    const received = String(fieldsOf(listOf(fieldsOf(sent).messages).at(-1)).content).slice(1, -1)
    const wanted = Object.hasOwn(expected, 'text') ? [expected.text] : listOf(expected.textOneOf)
    return [
      ...unknownKeys(expected, ['n', 'text', 'textOneOf'], `case ${n}: `),
      ...(wanted.includes(received) ? [] : [mismatch(`case ${n}: text`, wanted, received)]),
    ]
  })
