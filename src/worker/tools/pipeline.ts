// The way of one tool call: checked, allowed, run, judged, made fit for the log. Whatever goes wrong on it is a result, not an error.
import type { CallId, Json } from '../../storage/log/content.ts'
import { freezeJson } from '../../storage/log/lossless-json.ts'
import type { Agent } from '../hooks/agent.ts'
import type { HookBus } from '../hooks/hook-bus.ts'
import { runOf } from '../hooks/run-of.ts'
import type { Execution, HookContext, PostExecute, PreExecute, ToolOutcome } from '../hooks/tool.ts'
import { nearestName } from './nearest-name.ts'
import { failed, logged, notJson, returned, thrown, withContexts } from './outcome.ts'
import type { Checked, Parameters } from './parameters.ts'
import type { ToolContext, ToolDefinition } from './tool.ts'

export type RegisteredTool = { readonly tool: ToolDefinition; readonly parameters: Parameters }
/** The person's answer; a refusal may say why. Must settle when the execution's signal aborts. */
export type AskPerson = (
  execution: Execution,
  reason: string | undefined,
) => Promise<{ readonly kind: 'allow' } | { readonly kind: 'deny'; readonly reason: string }>
export type Guard = (execution: Execution) => string | undefined
export type ProgressSink = (agent: Agent | undefined, callId: CallId, data: Json) => void

export type PipelineOptions = {
  readonly bus: HookBus
  readonly guards: readonly Guard[]
  readonly ask?: AskPerson
  readonly onProgress?: ProgressSink
  find(name: string): RegisteredTool | undefined
  names(): readonly string[]
}

const NOBODY_TO_ASK = 'it needs the approval of a person, and nobody is there to give it'

/**
 * Freeze the arguments → check them → `tools/pre-execute` → guards → `tools/execute` around the body → `tools/post-execute` →
 * lossless-JSON check → `tools/result`. Calls that are refused, unknown or badly written skip the body, not what comes after it.
 * Rejects only with what a listener or a guard threw.
 */
export const runPipeline = async (options: PipelineOptions, input: Execution): Promise<ToolOutcome> => {
  const frozen = frozenArguments(input)
  const run = input.run ?? runOf(input.agent)
  const execution = Object.freeze({ ...input, arguments: frozen ?? null, ...(run === undefined ? {} : { run }) })
  const outcome = frozen === undefined ? notJsonArguments(input.name) : await dispatch(options, execution)
  const final = logged(await judge(options.bus, execution, outcome))
  options.bus.emit('tools/result', execution, final)
  return final
}

const frozenArguments = (input: Execution): Json | undefined => {
  try {
    return freezeJson(input.arguments)
  } catch {
    return undefined // told to the caller as INVALID_ARGS
  }
}

const notJsonArguments = (name: string): ToolOutcome => failed('INVALID_ARGS', `the arguments of ${name} are not plain JSON`)

const dispatch = async (options: PipelineOptions, execution: Execution): Promise<ToolOutcome> => {
  const entry = options.find(execution.name)
  if (entry === undefined) return unknownTool(execution.name, options.names())
  const checked = await checkArguments(entry, execution)
  if (!checked.ok) return invalidArguments(execution.name, checked.issues)
  const refusal = await refusalOf(options, execution)
  if (refusal !== undefined) return failed('DENIED', `this call was denied: ${refusal}`, 'ToolDenied')
  if (execution.signal.aborted) return failed('ABORTED_BEFORE_DISPATCH', 'the turn was stopped before this call began')
  return options.bus.waterfall('tools/execute', execution, () => runBody(options, entry, execution, checked.args))
}

const checkArguments = async (entry: RegisteredTool, execution: Execution): Promise<Checked> => {
  try {
    return await entry.parameters.check(execution.arguments)
  } catch (error) {
    return { ok: false, issues: [`arguments: could not be checked (${error instanceof Error ? error.message : String(error)})`] }
  }
}

const unknownTool = (name: string, names: readonly string[]): ToolOutcome => {
  const nearest = nearestName(name, names)
  const shown = JSON.stringify(name.slice(0, 80))
  const real = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`
  return failed('UNKNOWN_TOOL', `there is no tool named ${shown}. ${nearest === undefined ? '' : `Did you mean ${nearest}? `}${real}`)
}

const invalidArguments = (name: string, issues: readonly string[]): ToolOutcome =>
  failed('INVALID_ARGS', `the arguments do not fit ${name}; nothing was done. Correct this and call again:\n- ${issues.join('\n- ')}`)

/** Why the call must not run; undefined when it may. */
const refusalOf = async (options: PipelineOptions, execution: Execution): Promise<string | undefined> => {
  const decision = await options.bus.waterfall('tools/pre-execute', execution, async (): Promise<PreExecute> => ({ kind: 'allow' }))
  if (decision.kind === 'deny') return decision.reason
  if (decision.kind === 'ask') {
    const answer = (await options.ask?.(execution, decision.reason)) ?? { kind: 'deny', reason: nobodyToAsk(decision.reason) }
    if (answer.kind !== 'allow') return answer.reason
  } else if (decision.kind !== 'allow') return 'the policy gave no clear answer'
  for (const guard of options.guards) {
    const reason = guard(execution)
    if (reason !== undefined) return reason
  }
  return undefined
}

const nobodyToAsk = (reason: string | undefined): string => (reason === undefined ? NOBODY_TO_ASK : `${NOBODY_TO_ASK} (${reason})`)

/** Never rejects: listeners around it see an outcome. */
const runBody = async (options: PipelineOptions, { tool }: RegisteredTool, execution: Execution, args: unknown): Promise<ToolOutcome> => {
  const deadline = startDeadline(execution.signal, tool.timeoutMs)
  const contexts: HookContext[] = []
  let settled = false
  const context: ToolContext = {
    callId: execution.callId,
    signal: deadline.signal,
    ...(execution.agent === undefined ? {} : { agent: execution.agent }),
    ...(execution.run === undefined ? {} : { run: execution.run }),
    deferContext: (deferred) => {
      if (!settled) contexts.push(deferred)
    },
    progress: (data) => {
      if (!settled) options.onProgress?.(execution.agent, execution.callId, data)
    },
  }
  const body = async (): Promise<ToolOutcome> => {
    try {
      return returned(await tool.execute(args as never, context))
    } catch (error) {
      return thrown(execution.signal.aborted ? 'ABORTED' : 'TOOL_FAILED', error)
    }
  }
  try {
    const outcome = await Promise.race([body(), deadline.passed])
    const message = `${tool.name} took longer than ${tool.timeoutMs} ms and was stopped; it may have done a part of its work`
    return withContexts(outcome ?? failed('TOOL_TIMEOUT', message), contexts)
  } finally {
    settled = true
    deadline.clear()
  }
}

type Deadline = { readonly signal: AbortSignal; readonly passed: Promise<undefined>; clear(): void }

/** `passed` resolves when the time is over, after the tool's signal was aborted. It does not wait for the tool to obey. */
const startDeadline = (signal: AbortSignal, timeoutMs: number | undefined): Deadline => {
  if (timeoutMs === undefined) return { signal, passed: new Promise(() => {}), clear: () => {} }
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const passed = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined)
      controller.abort(new Error(`timed out after ${timeoutMs} ms`))
    }, timeoutMs)
  })
  return { signal: AbortSignal.any([signal, controller.signal]), passed, clear: () => clearTimeout(timer) }
}

const judge = async (bus: HookBus, execution: Execution, outcome: ToolOutcome): Promise<ToolOutcome> => {
  const verdict = await bus.waterfall('tools/post-execute', execution, outcome, async (): Promise<PostExecute> => ({ kind: 'accept' }))
  if (verdict.kind === 'block') return blocked(verdict.feedback, outcome)
  const kept = verdict.content === undefined ? outcome : { ...outcome, content: verdict.content }
  return withContexts(kept, verdict.additionalContexts ?? [])
}

const blocked = (feedback: unknown, outcome: ToolOutcome): ToolOutcome =>
  typeof feedback === 'string'
    ? withContexts(
        { content: [{ type: 'text', text: feedback }], isError: true, error: { name: 'ToolBlocked', code: 'DENIED' } },
        outcome.additionalContexts ?? [],
      )
    : notJson()
