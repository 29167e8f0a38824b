// What a task run may write (T33): nothing for kinds that only read, else what lies in its folders. What is not known to be inside is
// outside. Asked by the run for whole calls, and for each single write by tools that say `keepsWriteLimits`.
import type { RunContext } from './tool.ts'

const partsOf = (path: string, cwd: string): readonly string[] | undefined => {
  const parts = (path.startsWith('/') ? path : `${cwd}/${path}`)
    .normalize('NFC')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  return parts.includes('..') || path.includes('\\') ? undefined : parts
}

/** Both absolute, or from `cwd`. A path with `..` is inside of nothing. */
export const isInside = (path: string, folder: string, cwd = '/'): boolean => {
  const inner = partsOf(path, cwd)
  const outer = partsOf(folder, cwd)
  return inner !== undefined && outer?.every((part, i) => part === inner[i]) === true
}

/** Why this path must not be written, in words for the model; undefined when it may. Outside of runs everything may. */
export const writeRefusal = (run: RunContext | undefined, path: string, cwd?: string): string | undefined => {
  if (run === undefined) return undefined
  if (run.readOnly) return `a run of the kind "${run.kind}" only reads. Put what should be changed into your answer.`
  const folders = run.writeScope
  if (folders === undefined || folders.some((folder) => isInside(path, folder, cwd))) return undefined
  return `this run may write only in ${folders.join(', ')}, and ${JSON.stringify(path)} is outside.`
}
