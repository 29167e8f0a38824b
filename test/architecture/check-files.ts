// Rules about files as such: names, length, the first line, folder READMEs.
import { posix } from 'node:path'
import { emptyNames, longestFile, longestReadme } from './rules.ts'
import type { File } from './tree.ts'

const isSource = (path: string): boolean => /\.(ts|tsx|js|mjs|css)$/.test(path)
const isOurs = (path: string): boolean => isSource(path) && /^(src|test|scripts|examples)\/|^[^/]+$/.test(path)
const linesOf = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

export const lengthProblems = (files: readonly File[]): readonly string[] =>
  files
    .filter((file) => isOurs(file.path) && linesOf(file.text) > longestFile)
    .map((file) => `${file.path}: ${linesOf(file.text)} lines, at most ${longestFile}`)

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/

export const nameProblems = (files: readonly File[]): readonly string[] =>
  files.flatMap(({ path }) => {
    if (!isOurs(path)) return []
    const name = posix.basename(path)
    const stem = name.replace(/\..*$/, '')
    if (!kebab.test(name)) return [`${path}: file names are kebab-case`]
    const says = stem.split('-').at(-1) ?? ''
    const isEmpty = emptyNames.includes(stem) || ['util', 'utils', 'helper', 'helpers'].includes(says)
    return isEmpty ? [`${path}: name the idea, not the drawer`] : []
  })

export const firstLineProblems = (files: readonly File[]): readonly string[] =>
  files
    .filter((file) => isOurs(file.path) && !/^\s*(\/\/|\/\*)\s*\S|^#!/.test(file.text.split('\n')[0] ?? ''))
    .map((file) => `${file.path}: the first line is a comment that says what the file is for`)

/** Folders of src that hold two or more files of code; one file says what it is for itself. */
export const foldersToExplain = (files: readonly File[]): readonly string[] => {
  const counts = new Map<string, number>()
  for (const { path } of files) {
    if (!path.startsWith('src/') || !isSource(path)) continue
    const folder = posix.dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts].filter(([folder, count]) => count > 1 && folder !== 'src').map(([folder]) => folder)
}

export const readmeProblems = (files: readonly File[]): readonly string[] => [
  ...foldersToExplain(files)
    .filter((folder) => !files.some((file) => file.path === `${folder}/README.md`))
    .map((folder) => `${folder}: has no README.md`),
  ...files
    .filter((file) => /^(src|test)\/.*README\.md$/.test(file.path) && !file.path.startsWith('test/cases/'))
    .filter((file) => linesOf(file.text) > longestReadme)
    .map((file) => `${file.path}: ${linesOf(file.text)} lines, at most ${longestReadme}`),
]
