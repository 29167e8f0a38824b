// Judges `serialise` cases: a text, cut or not, is whole characters after the request body was sent and parsed again, to every vendor.
import { cutText } from '../../src/worker/llm/wire/well-formed.ts'
import { pairCases } from './case-files.ts'
import { fieldsOf, listOf, mismatch, unknownKeys } from './expectations.ts'
import type { Vendor } from './vendors/vendor.ts'
import { VENDORS } from './vendors.ts'

export const judgeSerialise = (raw: unknown, expectation: unknown): readonly string[] =>
  pairCases(raw, expectation).flatMap(({ n, input, expected }) => {
    const units = String(input.utf16 ?? '')
      .split(/\s+/)
      .filter(Boolean)
    const text = String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)))
    const cut = typeof input.limitUnits === 'number' ? cutText(text, input.limitUnits) : text
    const wanted = Object.hasOwn(expected, 'text') ? [expected.text] : listOf(expected.textOneOf)
    const received = VENDORS.map((vendor) => [vendor.api, receivedBy(vendor, cut)] as const)
    return [
      ...unknownKeys(expected, ['n', 'text', 'textOneOf'], `case ${n}: `),
      ...received.flatMap(([api, got]) => (wanted.includes(got) ? [] : [mismatch(`case ${n}: text for ${api}`, wanted, got)])),
    ]
  })

const receivedBy = (vendor: Vendor, text: string): string | undefined => {
  const call = { type: 'tool-call' as const, id: 'c1', name: 'print', arguments: '{}' }
  // As a result, between two marks: blanks at its ends belong to it.
  const result = { type: 'tool-result' as const, toolCallId: 'c1', content: [{ type: 'text' as const, text: `[${text}]` }], isError: false }
  const body = vendor.write(
    {
      provider: 'vendor',
      model: 'm',
      messages: [
        { role: 'assistant', content: [call], provenance: { provider: 'vendor', model: 'm' } },
        { role: 'user', content: [result] },
      ],
    },
    {},
    () => undefined,
  )
  const sent: unknown = JSON.parse(new TextDecoder().decode(new TextEncoder().encode(JSON.stringify(body))))
  return vendor.contents(fieldsOf(sent)).results.at(-1)?.text.slice(1, -1)
}
