// The tools that only a run needs, as a plugin: `status` to report how it stands, `delegate` to hand work on. Outside of runs no model
// is told of them.
import { runOf } from '../../hooks/run-of.ts'
import type { Plugin } from '../../loop/scope.ts'
import type { ToolDefinition } from '../../tools/tool.ts'
import { taskChildren } from './children.ts'

/** `status`: the tool for it; other plugins see its type only. */
export const runTools: Plugin<{ readonly status: ToolDefinition }> = (scope, { status }) => {
  const before = new Set(scope.tools.schemas().map(({ name }) => name))
  // An application's own tool of that name takes the place of ours, and is always there.
  if (!before.has('status')) scope.tools.register(status)
  if (!before.has('delegate')) scope.use(taskChildren)
  const ours = new Set(['status', 'delegate'].filter((name) => !before.has(name)))

  scope.on('system-prompt/assemble', async (_assembly, { agent }, next) => {
    const assembly = await next()
    return runOf(agent) === undefined ? { ...assembly, tools: assembly.tools.filter(({ name }) => !ours.has(name)) } : assembly
  })
}
