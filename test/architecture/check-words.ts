// Rules about words: test names and switches, leftovers, addresses that belong to one machine.
import { readSource } from './source-text.ts'
import type { File } from './tree.ts'

type Ban = { readonly pattern: RegExp; readonly says: string }

/** Written in parts so that this file does not break its own rule. */
const joined = (...parts: readonly string[]): string => parts.join('')

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length
const find = (file: File, text: string, { pattern, says }: Ban): readonly string[] =>
  [...text.matchAll(pattern)].map((match) => `${file.path}:${lineAt(text, match.index)}: ${says}`)

const isTest = (file: File): boolean => /^test\/.*\.(test|spec)\.tsx?$/.test(file.path) || file.path.startsWith('test/contract/')

const inTests: readonly Ban[] = [
  {
    pattern: /\b(test|it|describe|suite)\b(\.\w+)*\.(skip|only|todo|fixme|skipIf|runIf|fails|fail)\b/g,
    says: 'no test is skipped or alone',
  },
  {
    pattern: /\bwaitForTimeout\b|(?<![\w$.])(sleep|delay)\s*\(|\bsetTimeout\(\s*\w+\s*,\s*[^)\s]/g,
    says: 'no sleeping: wait for what is expected',
  },
]
const testName = /(?<![\w$.])(?:test|it|describe)(?:\.\w+)*(?:\([^'"`()]*\))?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g

export const testProblems = (files: readonly File[]): readonly string[] =>
  files.filter(isTest).flatMap((file) => {
    const { code, bare } = readSource(file.text)
    const names = [...code.matchAll(testName)].filter((match) => bare[match.index] !== ' ' && /\bshould\b/.test(match[2] ?? ''))
    return [
      ...inTests.flatMap((ban) => find(file, bare, ban)),
      ...names.map((match) => `${file.path}:${lineAt(code, match.index)}: a test's name says what is, without "should"`),
    ]
  })

const leftover: Ban = {
  pattern: new RegExp(`\\b(${joined('TO', 'DO')}|${joined('FIX', 'ME')}|${joined('XX', 'X')})\\b`, 'g'),
  says: 'unfinished',
}

export const leftoverProblems = (files: readonly File[]): readonly string[] =>
  files.filter((file) => !file.path.startsWith('test/cases/')).flatMap((file) => find(file, file.text, leftover))

const hosts = [
  ['registry.npm', 'js.org'],
  ['npm', 'js.com'],
  ['registry.yarn', 'pkg.com'],
  ['deb.', 'debian.org'],
  ['py', 'pi.org'],
  ['un', 'pkg.com'],
  ['esm', '.sh'],
  ['cdn.js', 'delivr.net'],
].map(([start, end]) => joined(start ?? '', end ?? ''))

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

const isOfOneMachine = (place: string): boolean => place.split('/').filter(Boolean).length > 1

/** `here`: the checkout's own folder and the person's home, which nobody else has. */
export const addressProblems = (files: readonly File[], here: readonly string[]): readonly string[] => {
  const packageHost: Ban = { pattern: new RegExp(`\\b(${hosts.map(escaped).join('|')})\\b`, 'g'), says: 'names a package host' }
  const places = [...here.filter(isOfOneMachine).map(escaped), '/(?:home|Users)/(?!user/)\\w+']
  const machine: Ban = { pattern: new RegExp(`(?<![\\w.])(${places.join('|')})(?![\\w-])`, 'g'), says: 'names a place on one machine' }
  return files.flatMap((file) => [...find(file, file.text, packageHost), ...find(file, file.text, machine)])
}
