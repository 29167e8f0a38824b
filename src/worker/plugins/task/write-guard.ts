// What a run may write (T33): nothing for kinds that only read, else what lies in its folders. What is not known to be inside is outside.
import type { Json } from '../../../storage/log/content.ts'
import type { AgentHome } from '../../hooks/agent-home.ts'
import type { Execution } from '../../hooks/tool.ts'
import { outsideScope, refusedWrite } from './texts.ts'

/** Where the tools write that do not say so themselves: paths from their arguments. An empty list: nowhere. */
const TARGETS: Readonly<Record<string, (args: Json) => readonly string[] | undefined>> = {
  run_js: () => [], // its sandbox is given copies of files, and hands nothing back
  write_file: (args) => (isPathed(args) ? [args.path] : undefined),
}

const isPathed = (args: Json): args is { readonly path: string } =>
  typeof args === 'object' && args !== null && 'path' in args && typeof args.path === 'string'

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

/** Why the call must not run; undefined when it may. Calls outside of runs are none of its business. */
export const refusalOfWrite = (tools: AgentHome['tools'], { run, name, arguments: args, agent }: Execution): string | undefined => {
  if (run === undefined || (!run.readOnly && run.writeScope === undefined)) return undefined
  const targets = Object.hasOwn(TARGETS, name) ? TARGETS[name]?.(args) : undefined
  if (tools.traits(name)?.readOnly === true || targets?.length === 0) return undefined
  if (run.readOnly) return refusedWrite(run.kind)
  const folders = run.writeScope ?? []
  const cwd = agent?.session.header.cwd
  if (targets === undefined) return outsideScope(undefined, folders)
  const outside = targets.find((target) => !folders.some((folder) => isInside(target, folder, cwd)))
  return outside === undefined ? undefined : outsideScope(outside, folders)
}
