// Runs one command line in a fresh interpreter under its limits and says how it ended.
import { Bash, type CommandName, type CustomCommand, defineCommand, getCommandNames } from 'just-bash/browser'
import { messageOf } from '../../../storage/log/errors.ts'
import type { ShellResult } from './shell.ts'
import type { OwnerCalls, RunInWorker } from './shell-messages.ts'
import { createShellTree } from './shell-tree.ts'

const MEGABYTE = 1024 * 1024

/** Far above what sensible commands need, and low enough that what one command keeps at once fits a tab. Loops end with the time. */
const LIMITS = {
  maxSourceBytes: MEGABYTE,
  maxOutputSize: 4 * MEGABYTE,
  maxStringLength: 16 * MEGABYTE,
  maxHeredocSize: 5 * MEGABYTE,
  maxLiveBytes: 64 * MEGABYTE,
  maxInputBytes: 64 * MEGABYTE,
  maxArrayElements: 100_000,
  maxFileDescriptors: 256,
}

/** They need what a browser has not. */
const LEFT_OUT: readonly string[] = ['gzip', 'gunzip', 'zcat']
const COMMANDS = getCommandNames().filter((name): name is CommandName => !LEFT_OUT.includes(name))

const TIME_OVER = 124

/** The interpreter tells its host what to set, which whoever reads this cannot. */
const withoutAdvice = (stderr: string): string =>
  stderr
    .replace(/, increase executionLimits\.\w+/g, '')
    .replace(/command not available in browser environments\. Exclude .* bundle\.$/gm, 'command not found')

/** Inside of a group a failed redirection ends the group, and what was printed before is kept. The empty line is for a `\` at the end. */
const grouped = (command: string): string => `{ ${command}\n\n}`

export const runInBash = async (
  { command, cwd, timeoutMs, tree, commands }: RunInWorker,
  owner: OwnerCalls,
  signal?: AbortSignal,
): Promise<ShellResult> => {
  const startedAt = performance.now()
  const customCommands = commands.map((name): CustomCommand => defineCommand(name, (words) => owner.command(name, words)))
  const fs = createShellTree({ ...tree, folders: [...tree.folders, cwd] }, owner)
  // The interpreter looks at the clock itself: a loop that never waits would leave a timer no turn.
  const executionLimits = { ...LIMITS, maxExecutionTimeMs: timeoutMs }
  const bash = new Bash({ fs, cwd, commands: COMMANDS, customCommands, executionLimits, env: { HOME: cwd } })
  const told = (stdout: string, stderr: string, exitCode: number): ShellResult => {
    const ms = Math.round(performance.now() - startedAt)
    const timedOut = exitCode === TIME_OVER && ms >= timeoutMs
    return { stdout, stderr: timedOut ? '' : withoutAdvice(stderr), exitCode, timedOut, ms }
  }
  try {
    const options = { rawScript: true, ...(signal === undefined ? {} : { signal }) }
    const { stdout, stderr, exitCode } = await bash.exec(grouped(command), options)
    return told(stdout, stderr, exitCode)
  } catch (error) {
    return told('', `bash: ${messageOf(error)}\n`, 1)
  }
}
