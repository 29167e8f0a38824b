// Which calls a run refuses because of what they may write (T33). Where a tool writes that does not say so is not known, and not let.
import type { Json } from '../../../storage/log/content.ts'
import type { AgentHome } from '../../hooks/agent-home.ts'
import type { Execution } from '../../hooks/tool.ts'
import { writeRefusal } from '../../hooks/write-limits.ts'
import { refusedWrite, unknownTarget } from './texts.ts'

/** Where the tools write that do not say so themselves: paths from their arguments. An empty list: nowhere. */
const TARGETS: Readonly<Record<string, (args: Json) => readonly string[] | undefined>> = {
  run_js: () => [], // its sandbox is given copies of files, and hands nothing back
  write_file: (args) => (isPathed(args) ? [args.path] : undefined),
}

const isPathed = (args: Json): args is { readonly path: string } =>
  typeof args === 'object' && args !== null && 'path' in args && typeof args.path === 'string'

/** Why the call must not run; undefined when it may. Calls outside of runs are none of its business. */
export const refusalOfWrite = (tools: AgentHome['tools'], { run, name, arguments: args, agent }: Execution): string | undefined => {
  if (run === undefined || (!run.readOnly && run.writeScope === undefined)) return undefined
  const targets = Object.hasOwn(TARGETS, name) ? TARGETS[name]?.(args) : undefined
  const { readOnly, keepsWriteLimits } = tools.traits(name) ?? {}
  if (readOnly === true || keepsWriteLimits === true || targets?.length === 0) return undefined
  if (run.readOnly) return refusedWrite(run.kind)
  if (targets === undefined) return unknownTarget(run.writeScope ?? [])
  const cwd = agent?.session.header.cwd
  return targets.map((target) => writeRefusal(run, target, cwd)).find((refusal) => refusal !== undefined)
}
