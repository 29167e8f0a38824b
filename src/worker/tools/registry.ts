// The tools that can be called: registered by name, shown in canonical order, run through the pipeline.
import type { Json } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import { markFrozen } from '../../storage/log/lossless-json.ts'
import type { ToolSchema } from '../../storage/log/model-call.ts'
import type { Disposer } from '../hooks/agent.ts'
import type { HookBus } from '../hooks/hook-bus.ts'
import type { Execution, ToolOutcome } from '../hooks/tool.ts'
import { type Parameters, readParameters } from './parameters.ts'
import { type AskPerson, type Guard, type ProgressSink, type RegisteredTool, runPipeline } from './pipeline.ts'
import type { ToolDefinition } from './tool.ts'

export type ToolRegistryOptions = {
  readonly bus: HookBus
  /** Names that come first, in this order; the others follow by name. */
  readonly toolOrder?: readonly string[]
  /** Asks the person about a call that a policy wants asked. Without it the answer is no. */
  readonly ask?: AskPerson
  readonly onProgress?: ProgressSink
}

export interface ToolRegistry {
  /** Errors: `command/invalid` for a name that is taken or that vendors refuse, and for parameters that cannot be read. */
  register(tool: ToolDefinition): Disposer
  get(name: string): ToolDefinition | undefined
  /** In canonical order, whatever the order of registration; the same array until a tool comes or goes. */
  schemas(): readonly ToolSchema[]
  /** Synchronous and monotonic: a string is a final refusal with that reason. */
  guard(check: Guard): Disposer
  /** Never rejects because of a tool: that is an outcome. It does when a listener throws. */
  execute(input: Execution): Promise<ToolOutcome>
  /** Whether this call may run beside others: the tool exists, takes these arguments, and says exactly `true`. */
  isConcurrencySafe(name: string, args: Json): boolean
}

// What every vendor's API accepts.
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/

export const createToolRegistry = (options: ToolRegistryOptions): ToolRegistry => {
  const tools = new Map<string, RegisteredTool>()
  let guards: readonly Guard[] = []
  let schemas: readonly ToolSchema[] | undefined

  return {
    register(tool) {
      if (!TOOL_NAME.test(tool.name)) {
        throw new SideloopError(
          'command/invalid',
          `"${tool.name}" cannot be the name of a tool: use 1 to 64 letters, digits, underscores and hyphens.`,
        )
      }
      if (tools.has(tool.name)) {
        throw new SideloopError('command/invalid', `There already is a tool named "${tool.name}". Give this one another name.`)
      }
      const entry = { tool, parameters: parametersOf(tool) }
      tools.set(tool.name, entry)
      schemas = undefined
      return () => {
        if (tools.get(tool.name) !== entry) return
        tools.delete(tool.name)
        schemas = undefined
      }
    },
    get: (name) => tools.get(name)?.tool,
    schemas() {
      schemas ??= markFrozen([...tools.values()].map(schemaOf).sort(canonicalOrder(options.toolOrder ?? [])))
      return schemas
    },
    guard(check) {
      const own: Guard = (execution) => check(execution)
      guards = [...guards, own]
      return () => {
        guards = guards.filter((each) => each !== own)
      }
    },
    execute: (input) => runPipeline({ ...options, guards, find: (name) => tools.get(name), names: () => [...tools.keys()].sort() }, input),
    isConcurrencySafe(name, args) {
      const entry = tools.get(name)
      if (entry?.tool.isConcurrencySafe === undefined) return false
      try {
        const checked = entry.parameters.check(args)
        return 'ok' in checked && checked.ok && entry.tool.isConcurrencySafe(checked.args as never) === true
      } catch {
        return false // a tool that cannot tell runs alone
      }
    },
  }
}

const parametersOf = (tool: ToolDefinition): Parameters => {
  try {
    return readParameters(tool.parameters)
  } catch (error) {
    if (!(error instanceof SideloopError)) throw error
    throw new SideloopError(error.code, `The tool "${tool.name}" cannot be registered. ${error.message}`, { cause: error })
  }
}

const schemaOf = ({ tool, parameters }: RegisteredTool): ToolSchema =>
  markFrozen({ name: tool.name, description: tool.description, parameters: parameters.schema })

/** By code units, so that the order is the same in every locale: a changed order would spoil the vendor's prompt cache. */
const canonicalOrder =
  (first: readonly string[]) =>
  (a: ToolSchema, b: ToolSchema): number =>
    rank(first, a.name) - rank(first, b.name) || (a.name < b.name ? -1 : 1)

const rank = (first: readonly string[], name: string): number => {
  const index = first.indexOf(name)
  return index === -1 ? first.length : index
}
