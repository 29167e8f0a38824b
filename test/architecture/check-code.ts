// Rules about what source code may say: types that check nothing, globals of one platform, exports without a name.
import { browserGlobals, mayUseAny, platformNeutral } from './rules.ts'
import { readSource } from './source-text.ts'
import type { File } from './tree.ts'

type Ban = { readonly pattern: RegExp; readonly says: string }

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

const find = (file: File, text: string, bans: readonly Ban[]): readonly string[] =>
  bans.flatMap(({ pattern, says }) =>
    [...text.matchAll(pattern)].map((match) => `${file.path}:${lineAt(text, match.index)}: ${says} (${match[0].trim()})`),
  )

const looseType: Ban = {
  pattern: /(?<=[:<|&,=(]\s*|\bas\s+)\bany\b(?=\s*([;,)>\]=|&{}[]|$))/gm,
  says: 'no any: say what it is, or unknown',
}
const inCode: readonly Ban[] = [
  { pattern: /\bas\s+unknown\s+as\b/g, says: 'no double cast: parse at the edge' },
  { pattern: /\bexport\s+default\b/g, says: 'no default export' },
  { pattern: /(?<![\w$.])enum\s+\w+\s*\{/g, says: 'no enum: a union of strings' },
  { pattern: /\bexport\s+\*/g, says: 'no barrel: import from the file that has it' },
  { pattern: /(?<![\w$.])(eval|Function)\s*\(/g, says: 'no evaluation of text' },
]
const inComments: readonly Ban[] = [{ pattern: /@ts-(ignore|nocheck|expect-error)/g, says: 'no silenced compiler' }]

const isCode = (file: File): boolean => /^src\/.*\.tsx?$/.test(file.path)

export const codeProblems = (files: readonly File[]): readonly string[] =>
  files.filter(isCode).flatMap((file) => {
    const bans = mayUseAny.includes(file.path) ? inCode : [looseType, ...inCode]
    return [...find(file, readSource(file.text).bare, bans), ...find(file, file.text, inComments)]
  })

/** A property or a key of that name is no use of the global. */
const globals: readonly Ban[] = [
  {
    pattern: new RegExp(`(?<![\\w$.'-])(${browserGlobals.join('|')})\\b(?!\\s*\\??:)(?![\\w$'-])`, 'g'),
    says: 'the core runs on every platform; this name exists on some',
  },
]

export const globalProblems = (files: readonly File[]): readonly string[] =>
  files.filter((file) => platformNeutral.test(file.path) && isCode(file)).flatMap((file) => find(file, readSource(file.text).bare, globals))
