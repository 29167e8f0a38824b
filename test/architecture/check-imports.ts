// Holds every import of src against the table in rules.ts.
import { posix } from 'node:path'
import { workerAddresses, type Zone, zones } from './rules.ts'
import { type Import, importsOf } from './source-text.ts'
import type { File } from './tree.ts'

const zoneOf = (path: string): Zone | undefined => zones.find((zone) => zone.paths.test(path))

/** `src/worker/plugins/retry.ts` and `src/worker/plugins/task/nudge.ts` → `retry`, `task`. */
const unitOf = (path: string, zone: Zone): string => path.replace(zone.paths, '').replace(/(\.tsx?)?(\/.*)?$/, '')

const packageIsAllowed = (specifier: string, zone: Zone): boolean => zone.packages?.includes(specifier) ?? false

const problemOf = (from: string, zone: Zone, imported: Import): string | undefined => {
  const specifier = imported.specifier.replace(/\?\w+$/, '')
  if (!specifier.startsWith('.')) {
    return packageIsAllowed(specifier, zone) ? undefined : `${from}: ${zone.name} may not import the package ${specifier}`
  }
  const to = posix.join(posix.dirname(from), specifier)
  if (imported.kind === 'worker') {
    const allowed = workerAddresses.some((rule) => rule.from.test(from) && rule.to.test(to))
    return allowed ? undefined : `${from}: may not start a worker from ${to}`
  }
  const target = zoneOf(to)
  if (target === undefined) return `${from}: imports ${to}, which belongs to no zone of src`
  if (target === zone) {
    return zone.separate === true && unitOf(from, zone) !== unitOf(to, zone)
      ? `${from}: ${zone.name} never import each other (${to})`
      : undefined
  }
  if (zone.may.includes(target.name)) return undefined
  if (zone.mayTypes?.includes(target.name)) {
    return imported.typeOnly ? undefined : `${from}: ${zone.name} may import only types from ${target.name} (${to})`
  }
  return `${from}: ${zone.name} may not import ${target.name} (${to})`
}

export const importProblems = (files: readonly File[]): readonly string[] =>
  files
    .filter((file) => /^src\/.*\.tsx?$/.test(file.path))
    .flatMap((file) => {
      const zone = zoneOf(file.path)
      if (zone === undefined) return [`${file.path}: this folder is not in the import table; add it there and to ARCHITECTURE.md`]
      return importsOf(file.text)
        .map((imported) => problemOf(file.path, zone, imported))
        .filter((problem) => problem !== undefined)
    })
