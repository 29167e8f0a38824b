// Runs every case of a folder (W14): one line a case, and a last line `N passed, M failed`.
import { readCases, type WireCase } from './case-files.ts'
import { fieldsOf, unknownKeys } from './expectations.ts'
import { judgeArguments } from './judge-arguments.ts'
import { judgeErrors } from './judge-errors.ts'
import { judgeHeaders } from './judge-headers.ts'
import { judgeHistory } from './judge-history.ts'
import { judgePromptChunks } from './judge-prompt-chunks.ts'
import { judgeSerialise } from './judge-serialise.ts'
import { judgeStream } from './judge-stream.ts'
import { vendorOf } from './vendors.ts'

export type CaseResult = {
  readonly id: string
  readonly api: string
  readonly verdict: 'passed' | 'failed'
  /** Why it failed. */
  readonly details: readonly string[]
}

export const runCases = async (folder: string): Promise<readonly CaseResult[]> => {
  const results: CaseResult[] = []
  for (const wireCase of await readCases(folder)) results.push(await runCase(wireCase))
  return results
}

/** The lines to print; the last is the count. */
export const linesOf = (results: readonly CaseResult[]): readonly string[] => {
  const count = (verdict: CaseResult['verdict']) => results.filter((result) => result.verdict === verdict).length
  return [
    ...results.map(({ id, api, verdict, details }) => `${verdict} ${id} (${api})${details.length === 0 ? '' : `: ${details.join(' · ')}`}`),
    `${count('passed')} passed, ${count('failed')} failed`,
  ]
}

const runCase = async (wireCase: WireCase): Promise<CaseResult> => {
  const { id, api, problems } = wireCase
  let details: readonly string[]
  try {
    details = problems.length > 0 ? problems : await judge(wireCase)
  } catch (error) {
    details = [`judging it threw: ${error instanceof Error ? error.stack : String(error)}`]
  }
  return { id, api, verdict: details.length > 0 ? 'failed' : 'passed', details }
}

const LISTS = ['cases', 'rule', 'mustNot', 'onOpaqueFailure']

const judge = async (wireCase: WireCase): Promise<readonly string[]> => {
  const { api, bytes, fields } = wireCase
  const { expect } = fields
  const vendor = vendorOf(api)
  if (vendor !== undefined) return judgeStream(wireCase, bytes, vendor)
  const raw: unknown = JSON.parse(new TextDecoder().decode(bytes))
  const unknown = api === 'history' ? [] : unknownKeys(fieldsOf(expect), LISTS, 'expect.')
  switch (api) {
    case 'tool-args':
      return [...unknown, ...judgeArguments(raw, expect)]
    case 'prompt-api-chunks':
      return [...unknown, ...judgePromptChunks(raw, expect)]
    case 'error-bodies':
      return [...unknown, ...judgeErrors(raw, expect)]
    case 'serialise':
      return [...unknown, ...judgeSerialise(raw, expect)]
    case 'request-headers':
      return [...unknown, ...(await judgeHeaders(raw, expect))]
    case 'history': {
      const target = String(fieldsOf(raw).target)
      const writer = vendorOf(target)
      return writer === undefined ? [`no writer for "${target}"`] : judgeHistory(raw, expect, writer)
    }
    default:
      return [`unknown api "${api}"`]
  }
}
