// Runs every case of a folder (W14): one line a case, and a last line `N passed, M failed`. What is not built is said, and not counted.
import { readCases, type WireCase } from './case-files.ts'
import { fieldsOf, unknownKeys } from './expectations.ts'
import { judgeArguments } from './judge-arguments.ts'
import { judgeErrors } from './judge-errors.ts'
import { judgeHeaders } from './judge-headers.ts'
import { judgeHistory } from './judge-history.ts'
import { judgePromptChunks } from './judge-prompt-chunks.ts'
import { judgeSerialise } from './judge-serialise.ts'
import { judgeStream } from './judge-stream.ts'
import { STREAM_APIS, vendorOf } from './vendors.ts'

export type CaseResult = {
  readonly id: string
  readonly api: string
  readonly verdict: 'passed' | 'failed' | 'not built yet'
  /** Why it failed, or what of it is not built. */
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
  const missing = results.filter((result) => result.verdict === 'not built yet')
  return [
    ...results.map(
      ({ id, api, verdict, details }) => `${verdict.padEnd(13)} ${id} (${api})${details.length === 0 ? '' : `: ${details.join(' · ')}`}`,
    ),
    ...(missing.length === 0 ? [] : [`not built yet, not counted: ${missing.map(({ id }) => id).join(', ')}`]),
    `${count('passed')} passed, ${count('failed')} failed`,
  ]
}

type Verdict = { readonly problems: readonly string[]; readonly notBuilt: readonly string[] }
const judged = (problems: readonly string[]): Verdict => ({ problems, notBuilt: [] })

const runCase = async (wireCase: WireCase): Promise<CaseResult> => {
  const { id, api } = wireCase
  let verdict: Verdict
  try {
    verdict = wireCase.problems.length > 0 ? judged(wireCase.problems) : await judge(wireCase)
  } catch (error) {
    verdict = judged([`judging it threw: ${error instanceof Error ? error.stack : String(error)}`])
  }
  if (verdict.problems.length > 0) return { id, api, verdict: 'failed', details: verdict.problems }
  if (verdict.notBuilt.length > 0) return { id, api, verdict: 'not built yet', details: verdict.notBuilt }
  return { id, api, verdict: 'passed', details: [] }
}

const LISTS = ['cases', 'rule', 'mustNot', 'onOpaqueFailure']

const judge = async ({ api, bytes, fields, ...rest }: WireCase): Promise<Verdict> => {
  const { expect } = fields
  if (STREAM_APIS.includes(api)) {
    const vendor = vendorOf(api)
    return vendor === undefined
      ? { problems: [], notBuilt: [`no reader for ${api}`] }
      : judged(judgeStream({ api, bytes, fields, ...rest }, bytes, vendor))
  }
  const raw: unknown = JSON.parse(new TextDecoder().decode(bytes))
  const unknown = api === 'history' ? [] : unknownKeys(fieldsOf(expect), LISTS, 'expect.')
  switch (api) {
    case 'tool-args':
      return judged([...unknown, ...judgeArguments(raw, expect)])
    case 'prompt-api-chunks':
      return judged([...unknown, ...judgePromptChunks(raw, expect)])
    case 'error-bodies':
      return judged([...unknown, ...judgeErrors(raw, expect)])
    case 'serialise':
      return judged([...unknown, ...judgeSerialise(raw, expect)])
    case 'request-headers': {
      const { problems, notBuilt } = await judgeHeaders(raw, expect)
      return {
        problems: [...unknown, ...problems],
        notBuilt: notBuilt.map((provider) => `no adapter for ${provider}; the other cases are right`),
      }
    }
    case 'history': {
      const target = String(fieldsOf(raw).target)
      const vendor = vendorOf(target)
      return vendor === undefined ? { problems: [], notBuilt: [`no writer for ${target}`] } : judged(judgeHistory(raw, expect, vendor))
    }
    default:
      return judged([`unknown api "${api}"`])
  }
}
