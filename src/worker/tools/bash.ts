// The tool `bash`: runs a command line over the session's files and tells what it printed, how it ended, and what it was not let do.
import type { Json } from '../../storage/log/content.ts'
import type { ProgramFiles, RefusedChange } from '../capabilities/files/program-files.ts'
import type { Shell, ShellCommand, ShellResult } from '../capabilities/shell/shell.ts'
import type { TaskSignals } from '../hooks/task-signals.ts'
import { writeRefusal } from '../hooks/write-limits.ts'
import { capText } from './cap-text.ts'
import { defineTool } from './define-tool.ts'
import { asMeta, statusCommand } from './status.ts'
import type { ToolDefinition, ToolReturn } from './tool.ts'
import { type FileCapability, workspaceOf } from './workspace-of.ts'

const DEFAULT_TIMEOUT_MS = 30_000
const LONGEST_TIMEOUT_MS = 120_000
const LONGEST_OUTPUT = 16_000
const LONGEST_ERRORS = 6_000
const MOST_PATHS = 5

export type BashOptions = FileCapability & { readonly shell: Shell }

/**
 * A call has failed when its exit code is not 0, and only then. `meta`: `{ exitCode, ms, timedOut?, refused?, signals? }`; `refused`
 * are paths that were not changed, `signals` what the `status` command said (T6), which counts if the whole call succeeded (T3).
 */
export const bash = ({ shell, ...files }: BashOptions): ToolDefinition =>
  defineTool({
    name: 'bash',
    description:
      'Run a bash command over your files: pipes, redirections, here-documents, loops, and text tools such as grep, sed, awk, jq, sort, find and diff. No network, no other programs. Each call starts in your folder; variables and cd do not stay.',
    parameters: {
      command: { type: 'string', required: true },
      timeoutMs: { type: 'integer', minimum: 100, maximum: LONGEST_TIMEOUT_MS, description: `Default ${DEFAULT_TIMEOUT_MS}` },
    },
    keepsWriteLimits: true,
    async execute({ command, timeoutMs = DEFAULT_TIMEOUT_MS }, context): Promise<ToolReturn> {
      const cwd = context.agent?.session.header.cwd ?? '/'
      const program = workspaceOf(files, context).forProgram((path) => writeRefusal(context.run, path, cwd))
      const status = statusOfCall()
      const result = await shell.run({ command, cwd, files: program, commands: { status: status.command }, timeoutMs }, context.signal)
      return told(result, program, status.signals(), timeoutMs)
    },
  })

/** The last report that the command made. */
const statusOfCall = (): { readonly command: ShellCommand; signals(): TaskSignals | undefined } => {
  let last: TaskSignals | undefined
  return {
    command(words) {
      const { signals, ...result } = statusCommand(words)
      last = signals ?? last
      return result
    },
    signals: () => last,
  }
}

const told = (result: ShellResult, program: ProgramFiles, signals: TaskSignals | undefined, timeoutMs: number): ToolReturn => {
  const { exitCode, timedOut, ms } = result
  const isError = exitCode !== 0
  const { refused } = program
  const stdout = capText(result.stdout, LONGEST_OUTPUT).trimEnd()
  program.shown(stdout)
  const stderr = capText(result.stderr, LONGEST_ERRORS).trimEnd()
  const ending = timedOut ? outOfTime(timeoutMs) : isError ? `[exit code ${exitCode}]` : ''
  const parts = [stdout, stderr === '' ? '' : `[stderr]\n${stderr}`, ending, notChanged(refused)].filter((part) => part !== '')
  const meta: Record<string, Json> = {
    exitCode,
    ms,
    ...(timedOut ? { timedOut } : {}),
    ...(refused.length === 0 ? {} : { refused: pathsOf(refused) }),
    ...(isError || signals === undefined ? {} : { signals: asMeta(signals) }),
  }
  return { content: [{ type: 'text', text: parts.join('\n') || '(no output)' }], isError, meta }
}

const outOfTime = (timeoutMs: number): string =>
  `[stopped after ${timeoutMs} ms, still running; what it had written stays. Look for an endless loop, do less, or raise timeoutMs.]`

const pathsOf = (refused: readonly RefusedChange[]): string[] => [...new Set(refused.map(({ path }) => path))].slice(0, MOST_PATHS)

/** The shell's commands say that something failed, and hardly ever why. */
const notChanged = (refused: readonly RefusedChange[]): string => {
  const reasons = [...new Set(refused.map(({ reason }) => reason))].slice(0, MOST_PATHS)
  return reasons
    .map((reason) => `[not changed: ${pathsOf(refused.filter((each) => each.reason === reason)).join(', ')}: ${reason}]`)
    .join('\n')
}
