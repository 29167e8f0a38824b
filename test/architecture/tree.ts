// Reads the text files of the project, and nothing that tools made.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

export type File = { readonly path: string; readonly text: string }

const made = new Set(['node_modules', 'dist', '.git', '.cache', 'test-results', 'playwright-report', 'screenshots', '.vite'])
const binary = /\.(png|jpg|gif|webp|ico|woff2|wasm|gz|zip)$/

const pathsBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (made.has(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return pathsBelow(path)
    return entry.isFile() && !binary.test(entry.name) ? [path] : []
  })

/** Paths are relative to the root, with forward slashes. */
export const readTree = (root: string): readonly File[] =>
  pathsBelow(root).map((path) => ({ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }))
