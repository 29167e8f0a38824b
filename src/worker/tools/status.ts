// The `status` command: how a model reports that work is done, or what is left (T6). A pure handler for a shell, and a tool of its own.
import type { JsonObject } from '../../storage/log/content.ts'
import { isNothing, type StatusResult, type TaskSignals } from '../hooks/task-signals.ts'
import { defineTool } from './define-tool.ts'
import type { ToolDefinition, ToolReturn } from './tool.ts'

export const STATUS_USAGE = 'Usage: status --task T --done D [--remaining R] [--complete | --incomplete]'

export type ReadStatus = { readonly ok: true; readonly status: StatusResult } | { readonly ok: false; readonly message: string }

/** Texts, and flags. */
const VALUES = ['task', 'done', 'remaining'] as const
type Value = (typeof VALUES)[number]
const isValue = (name: string): name is Value => VALUES.some((each) => each === name)

const usage = (message: string): ReadStatus => ({ ok: false, message: `status: ${message}\n${STATUS_USAGE}` })

const statusOf = (given: { readonly [V in Value]?: string }, flag: boolean | undefined): ReadStatus => {
  const [task, done, remaining] = VALUES.map((name) => given[name]?.trim() ?? '')
  const missing = [task ? [] : ['--task'], done ? [] : ['--done']].flat()
  if (missing.length > 0) return usage(`${missing.join(' and ')} must be given`)
  const left = remaining || 'none'
  const complete = flag ?? isNothing(left)
  return { ok: true, status: { task: task ?? '', done: done ?? '', remaining: left, complete, hasExplicitFlag: flag !== undefined } }
}

/**
 * The words behind `status`, as a shell hands them over: quotes are gone. Words up to the next flag belong together, so quotes were
 * optional. `--done=D` for a text that begins with two hyphens. An unknown or a second flag is an error: what was meant is not guessed.
 */
export const readStatusWords = (words: readonly string[]): ReadStatus => {
  const texts: { [V in Value]?: string } = {}
  let flag: boolean | undefined
  let current: Value | undefined
  for (const word of words) {
    const [, name, , value] = /^--([a-z-]+)(=([\s\S]*))?$/.exec(word) ?? []
    if (name === undefined) {
      if (current === undefined) return usage(`"${word.slice(0, 80)}" belongs to no flag`)
      texts[current] = texts[current] ? `${texts[current]} ${word}` : word
    } else if (isValue(name)) {
      if (texts[name] !== undefined) return usage(`--${name} is there twice`)
      current = name
      texts[name] = value ?? ''
    } else if ((name === 'complete' || name === 'incomplete') && value === undefined) {
      if (flag !== undefined) return usage('give --complete or --incomplete, once')
      flag = name === 'complete'
      current = undefined
    } else return usage(`there is no flag --${name}`)
  }
  return statusOf(texts, flag)
}

const linesOf = ({ task, done, remaining, complete }: StatusResult): string =>
  `Recorded: ${task}: ${done}\nRemaining: ${remaining}\nComplete: ${complete ? 'yes' : 'no'}`

/** An explicit `--complete` ends the run after this call; all else is weighed by the run. */
export const signalsOf = (status: StatusResult): TaskSignals => ({
  ...(status.hasExplicitFlag && status.complete ? { statusComplete: true } : {}),
  statusResult: status,
})

/** As it stands in the `meta` of a result. */
export const asMeta = ({ statusComplete, statusResult }: TaskSignals): JsonObject => ({
  ...(statusComplete ? { statusComplete } : {}),
  ...(statusResult ? { statusResult: { ...statusResult } } : {}),
})

export type StatusCommandResult = {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: 0 | 2
  /** For the `meta.signals` of the call that the command was part of, if the whole call succeeds. */
  readonly signals?: TaskSignals
}

/** For a shell: it calls this only when the command is reached, so a chain that broke before it has said nothing. */
export const statusCommand = (words: readonly string[]): StatusCommandResult => {
  const read = readStatusWords(words)
  if (!read.ok) return { stdout: '', stderr: `${read.message}\n`, exitCode: 2 }
  return { stdout: `${linesOf(read.status)}\n`, stderr: '', exitCode: 0, signals: signalsOf(read.status) }
}

/** The same without a shell. `meta`: `{ signals }`. */
export const statusTool = (): ToolDefinition =>
  defineTool({
    name: 'status',
    description: 'Report how the task stands. Set "complete" to true when all of it is done and checked; to false when something is left.',
    parameters: {
      task: { type: 'string', required: true, description: 'What was asked, in a few words' },
      done: { type: 'string', required: true, description: 'What is done' },
      remaining: { type: 'string', description: 'What is left. Default: none' },
      complete: { type: 'boolean' },
    },
    readOnly: true,
    execute({ complete, ...texts }): ToolReturn {
      const read = statusOf(texts, complete)
      if (!read.ok) return { content: [{ type: 'text', text: `Error: ${read.message}` }], isError: true }
      return { content: [{ type: 'text', text: linesOf(read.status) }], meta: { signals: asMeta(signalsOf(read.status)) } }
    },
  })
