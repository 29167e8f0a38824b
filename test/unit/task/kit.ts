// What the tests of task runs are arranged with: a shell of a few words, and a run over scripted replies.
import type { ContentBlock } from '../../../src/storage/log/content.ts'
import type { EventOf, SessionEvent, TaskResult } from '../../../src/storage/log/events.ts'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import type { LlmRequest, ModelInfo } from '../../../src/worker/hooks/llm.ts'
import type { TaskSignals } from '../../../src/worker/hooks/task-signals.ts'
import type { RuntimeOptions } from '../../../src/worker/loop/scope.ts'
import { runTask } from '../../../src/worker/plugins/task/run-task.ts'
import type { TaskOptions } from '../../../src/worker/plugins/task/task-options.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { statusCommand } from '../../../src/worker/tools/status.ts'
import type { ToolDefinition } from '../../../src/worker/tools/tool.ts'
import { type Part, type Reply, toolCall } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'
import { type TestRuntime, testRuntime } from '../../kit/test-runtime.ts'

type Command = { readonly text: string; readonly ok: boolean; readonly signals?: TaskSignals }

/** `"two words"` is one word, without its quotes. */
const wordsOf = (text: string): readonly string[] => [...text.matchAll(/"([^"]*)"|(\S+)/g)].map((found) => found[1] ?? found[2] ?? '')

const runCommand = (text: string): Command => {
  const [name = '', ...words] = wordsOf(text)
  if (name === 'status') {
    const { stdout, stderr, exitCode, signals } = statusCommand(words)
    return { text: stdout + stderr, ok: exitCode === 0, ...(signals === undefined ? {} : { signals }) }
  }
  if (name === 'fail') return { text: 'it failed', ok: false }
  if (name === 'long') return { text: (words[0] ?? 'x').repeat(600), ok: true }
  return { text: name === 'echo' ? words.join(' ') : `ran ${text}`, ok: true }
}

/** A shell that knows `&&`, `status`, `echo`, `long`, `fail`; everything else it claims to have run. */
export const bash = (onRun: (command: string) => void = () => {}): ToolDefinition =>
  defineTool({
    name: 'bash',
    description: 'Runs a command.',
    parameters: { command: { type: 'string', required: true } },
    execute({ command }) {
      onRun(command)
      const done: Command[] = []
      for (const part of command.split('&&')) {
        const result = runCommand(part.trim())
        done.push(result)
        if (!result.ok) break
      }
      const signals = Object.assign({}, ...done.map((each) => each.signals ?? {}))
      return {
        content: [{ type: 'text', text: done.map((each) => each.text.trimEnd()).join('\n') }],
        isError: done.some(({ ok }) => !ok),
        ...(Object.keys(signals).length === 0 ? {} : { meta: { signals } }),
      }
    },
  })

/** A tool that answers with the signals that it was made with. */
export const signalling = (name: string, signals: object, isError = false): ToolDefinition =>
  defineTool({
    name,
    description: 'Signals.',
    parameters: {},
    execute: () => ({ content: [{ type: 'text', text: name }], isError, meta: { signals: signals as never } }),
  })

export const sh = (command: string, id?: string): Part => toolCall('bash', { command }, id)

export const COMPLETE = 'status --task "the work" --done "all of it" --complete'
export const complete = (id?: string): Part => sh(COMPLETE, id)

export type TaskSetup = TestRuntime & {
  readonly agent: Agent
  /** What `onProgress` was told. */
  readonly progress: readonly { readonly name: string; readonly data: unknown }[]
  readonly commands: readonly string[]
  run(prompt?: string | readonly ContentBlock[], options?: TaskOptions, signal?: AbortSignal): Promise<TaskResult>
}

export type SetupOptions = {
  readonly tools?: readonly ToolDefinition[]
  readonly info?: ModelInfo
  readonly runtime?: RuntimeOptions
}

export const taskSetup = (replies: readonly Reply[], { tools, info, runtime: options }: SetupOptions = {}): TaskSetup => {
  const made = testRuntime(info === undefined ? replies : [], options)
  const model = info === undefined ? made.model : scriptedModel(replies, { info })
  if (info !== undefined) made.runtime.llm.registerAdapter(['known'], model)
  const commands: string[] = []
  for (const tool of tools ?? [bash((command) => commands.push(command))]) made.runtime.tools.register(tool)
  const agent = made.start(info === undefined ? {} : { provider: 'known' })
  const progress: { name: string; data: unknown }[] = []
  const run: TaskSetup['run'] = (prompt = 'do it', given = {}, signal) =>
    runTask(agent, prompt, { onProgress: (name, data) => progress.push({ name, data }), ...given }, signal)
  return { ...made, model, agent, progress, commands, run }
}

export const notes = (events: readonly SessionEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'task/noted' ? [event.data.name] : []))

/** The run's words to the model, in order, without the tags. */
export const reminders = (events: readonly SessionEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'context/message' && event.data.content.length > 0 ? [wordsIn(event.data.content)] : []))

export const wordsIn = (content: readonly ContentBlock[]): string =>
  content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')

export const results = (events: readonly SessionEvent[]): readonly EventOf<'tool/result'>[] =>
  events.flatMap((event) => (event.type === 'tool/result' ? [event as EventOf<'tool/result'>] : []))

/** The last thing that the model was shown, as text. */
export const lastShown = ({ messages }: LlmRequest): string => wordsIn(messages.at(-1)?.content ?? [])
