// Finds the cases of a folder and reads them, without trusting anything about them.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Fields, isFields, unknownKeys } from './expectations.ts'

export type WireCase = {
  readonly id: string
  readonly api: string
  readonly fields: Fields
  readonly bytes: Uint8Array
  /** What is wrong with the case file itself. */
  readonly problems: readonly string[]
}

const KNOWN = ['id', 'kind', 'title', 'api', 'file', 'bytes', 'sha256', 'sources', 'http', 'tools', 'context', 'deliveries', 'expect']
const ENDING = '.expected.json'

/** In the order of their names, folders within folders too. */
export const readCases = async (folder: string): Promise<readonly WireCase[]> => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(ENDING)).sort()
  return Promise.all(names.map((name) => readCase(folder, join(folder, name))))
}

const readCase = async (folder: string, path: string): Promise<WireCase> => {
  const name = relative(folder, path).slice(0, -ENDING.length)
  const broken = (problem: string): WireCase => ({ id: name, api: 'unknown', fields: {}, bytes: new Uint8Array(), problems: [problem] })
  let fields: unknown
  try {
    fields = JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    return broken(`the expectation cannot be read: ${String(error)}`)
  }
  if (!isFields(fields)) return broken('the expectation is no object')
  const id = typeof fields.id === 'string' ? fields.id : name
  const api = typeof fields.api === 'string' ? fields.api : 'unknown'
  if (typeof fields.file !== 'string') return { ...broken('no raw file is named'), id, api }
  let bytes: Uint8Array
  try {
    bytes = await readFile(join(dirname(path), fields.file))
  } catch (error) {
    return { ...broken(`the raw file cannot be read: ${String(error)}`), id, api }
  }
  const problems = [...unknownKeys(fields, KNOWN, '')]
  if (typeof fields.sha256 === 'string' && createHash('sha256').update(bytes).digest('hex') !== fields.sha256) {
    problems.push('the raw file is not the one that the case was made with')
  }
  return { id, api, fields, bytes, problems }
}

/** The `cases` of a raw JSON file, each with its expectation: by `n` where both have it, else by order. */
export const pairCases = (
  raw: unknown,
  expectation: unknown,
): readonly { readonly n: string; readonly input: Fields; readonly expected: Fields }[] => {
  const inputs = isFields(raw) && Array.isArray(raw.cases) ? raw.cases.filter(isFields) : []
  const expected = isFields(expectation) && Array.isArray(expectation.cases) ? expectation.cases.filter(isFields) : []
  return expected.map((one, index) => {
    const input = inputs.find((candidate) => candidate.n !== undefined && candidate.n === one.n) ?? inputs[index] ?? {}
    return { n: String(one.n ?? index + 1), input, expected: one }
  })
}
