// Judges `request-headers` cases: the vendor's own headers, no others, and no cookies.
import { pairCases } from './case-files.ts'
import { fieldsOf, listOf, mismatch, unknownKeys } from './expectations.ts'
import type { Vendor } from './vendors/vendor.ts'
import { vendorOfProvider } from './vendors.ts'

const KNOWN = ['n', 'headersInclude', 'headersIncludeNames', 'headersExcludeNames', 'credentials']

export const judgeHeaders = async (raw: unknown, expectation: unknown): Promise<readonly string[]> => {
  const problems: string[] = []
  for (const { n, input, expected } of pairCases(raw, expectation)) {
    const where = `case ${n}: `
    problems.push(...unknownKeys(expected, KNOWN, where))
    const vendor = vendorOfProvider(String(input.provider))
    const sent = await requestOf(vendor, String(input.baseUrl), typeof input.apiKey === 'string' ? input.apiKey : undefined)
    const headers = new Headers(sent.init.headers)
    for (const [name, value] of Object.entries(fieldsOf(expected.headersInclude))) {
      if (headers.get(name) !== value) problems.push(mismatch(`${where}header ${name}`, value, headers.get(name)))
    }
    for (const name of listOf(expected.headersIncludeNames))
      if (!headers.has(String(name))) problems.push(`${where}header ${name} is missing`)
    for (const name of listOf(expected.headersExcludeNames)) if (headers.has(String(name))) problems.push(`${where}header ${name} is there`)
    if (expected.credentials !== undefined && sent.init.credentials !== expected.credentials) {
      problems.push(mismatch(`${where}credentials`, expected.credentials, sent.init.credentials))
    }
    if (typeof input.apiKey === 'string' && input.apiKey !== '' && sent.url.includes(input.apiKey))
      problems.push(`${where}the key is in the URL`)
  }
  return problems
}

const requestOf = async (
  vendor: Vendor,
  baseUrl: string,
  key: string | undefined,
): Promise<{ readonly url: string; readonly init: RequestInit }> => {
  let sent: { readonly url: string; readonly init: RequestInit } | undefined
  const adapter = vendor.adapter({
    baseUrl,
    ...(key === undefined ? {} : { key }),
    fetch: async (url, init) => {
      sent = { url, init: init as RequestInit }
      // Any answer will do: what was sent is what is judged.
      return new Response('', { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  const request = { provider: 'p', model: 'm', messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }] }
  for await (const _ of adapter.stream(request)) void _
  if (sent === undefined) throw new Error('the adapter sent nothing')
  return sent
}
