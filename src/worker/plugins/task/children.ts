// Children of a run as a plugin: the tool `delegate` hands work to a run in a session of its own, several at once (T34).

import { SideloopError } from '../../../storage/log/errors.ts'
import type { SessionHeader, TaskKind, TaskResult } from '../../../storage/log/events.ts'
import type { Agent } from '../../hooks/agent.ts'
import { homeOf } from '../../hooks/agent-home.ts'
import type { Plugin } from '../../loop/scope.ts'
import type { ToolContext, ToolDefinition, ToolReturn } from '../../tools/tool.ts'
import { createLanes, type Lanes } from './lanes.ts'
import { liveRun } from './open-run.ts'
import { note, type Run } from './run.ts'
import { launch } from './run-task.ts'
import { isReadOnly, type TaskOptions } from './task-options.ts'

export type ChildrenOptions = {
  /** Of one parent at the same time. Default 4. */
  readonly maxParallel?: number
  /** Of one parent at all. Default 50. */
  readonly maxChildren?: number
  /** Children of children of …. Default 2. */
  readonly maxDepth?: number
  /** What children get besides their kind and their parent's limits. */
  readonly options?: Pick<TaskOptions, 'maxSteps' | 'maxNudges' | 'maxDuplicateToolCalls'>
}

const CHILD_KINDS = ['explore', 'plan', 'task'] as const
type ChildKind = (typeof CHILD_KINDS)[number]
type DelegateArgs = { readonly kind: ChildKind; readonly prompt: string }

const PARAMETERS = {
  type: 'object',
  properties: {
    kind: {
      type: 'string',
      enum: [...CHILD_KINDS],
      description: 'explore: look and report. plan: work out a plan. Both only read. task: do the work.',
    },
    prompt: { type: 'string', minLength: 1, description: 'All that it needs to know: it sees nothing of this conversation' },
  },
  required: ['kind', 'prompt'],
}

const DESCRIPTION =
  'Hand a piece of work to a helper with a fresh memory, and get its report. Several calls in one answer run at the same time; give each its own part.'

const metaOf = (parent: Agent): Partial<Omit<SessionHeader, 'version' | 'id'>> => {
  const { id, header } = parent.session
  return { parentSession: id, depth: (header.depth ?? 0) + 1, ...(header.cwd === undefined ? {} : { cwd: header.cwd }) }
}

/** What a parent's run may not do, its children may not either. */
const optionsOf = (run: Run | undefined, kind: TaskKind, { options }: ChildrenOptions): TaskOptions => ({
  ...options,
  kind,
  ...(run?.options.writeScope === undefined ? {} : { writeScope: run.options.writeScope }),
  ...(run?.options.onPausableError === undefined ? {} : { onPausableError: run.options.onPausableError }),
})

const report = ({ success, exitReason, summary }: TaskResult): string =>
  success ? summary : `Error: the helper did not finish (${exitReason}): ${summary}`

const refuse = (message: string): never => {
  throw new SideloopError('command/invalid', message)
}

export const taskChildren: Plugin<ChildrenOptions | undefined> = (scope, given) => {
  const settings = given ?? {}
  const { maxParallel = 4, maxChildren = 50, maxDepth = 2 } = settings
  // Of each parent: children that wait for children of their own must not keep those waiting.
  const parents = new WeakMap<Agent, { readonly lanes: Lanes; started: number }>()
  const placeFor = (parent: Agent): Lanes => {
    const place = parents.get(parent) ?? { lanes: createLanes(maxParallel), started: 0 }
    parents.set(parent, place)
    if (place.started >= maxChildren) refuse(`There were ${maxChildren} helpers already, and no more can be had. Do the rest yourself.`)
    place.started++
    return place.lanes
  }

  const runChild = async (parent: Agent, { kind, prompt }: DelegateArgs, signal: AbortSignal): Promise<ToolReturn> => {
    const home = homeOf(parent) ?? refuse('This agent has no runtime that could start a helper.')
    const run = liveRun(parent)
    const sessionId = home.newId()
    const { agent, dispose } = await home.create({
      agentId: `${parent.id}-child-${sessionId}`,
      sessionId,
      meta: metaOf(parent),
      agentOptions: parent.options,
    })
    try {
      // A signal of its own: many children that listen to one would look like a leak.
      const task = { agent, prompt, options: optionsOf(run, kind, settings), signal: AbortSignal.any([signal]) }
      const result = await launch({ ...task, ...(run === undefined ? {} : { ledger: run.ledger }) })
      const { totalUsage, ...facts } = result
      if (run !== undefined && !run.ended)
        note(run, 'child', { session: sessionId, kind, result: { ...facts, totalUsage: { ...totalUsage } } })
      return {
        content: [{ type: 'text', text: report(result) }],
        isError: !result.success,
        meta: { session: sessionId, kind, exitReason: result.exitReason, totalCost: result.totalCost },
      }
    } finally {
      await dispose()
    }
  }

  const delegate: ToolDefinition = {
    name: 'delegate',
    description: DESCRIPTION,
    parameters: PARAMETERS,
    // It writes nothing itself, and hands a parent that only reads no child that writes.
    readOnly: true,
    isConcurrencySafe: () => true,
    async execute(args: DelegateArgs, { agent, signal, run }: ToolContext): Promise<ToolReturn> {
      const parent = agent ?? refuse('A helper belongs to an agent; make this call as one.')
      if ((parent.session.header.depth ?? 0) >= maxDepth) refuse('Helpers do not hand their work on any further. Do this part yourself.')
      if (run?.readOnly && !isReadOnly(args.kind))
        refuse(`A run of the kind "${run.kind}" only reads: its helpers are of the kind explore or plan.`)
      return placeFor(parent).enter(() => runChild(parent, args, signal), signal)
    },
  }
  scope.tools.register(delegate)
}
