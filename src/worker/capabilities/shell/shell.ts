// The port of the shell capability: runs a command line over files that are handed in, and reaches nothing else.
import type { ProgramFiles } from '../files/program-files.ts'

/** What a command of the host's own came to. */
export type ShellCommandResult = { readonly stdout: string; readonly stderr: string; readonly exitCode: number }

/** `words` are what stands behind its name, with quotes and variables resolved. Called only when the command is reached. */
export type ShellCommand = (words: readonly string[]) => ShellCommandResult | Promise<ShellCommandResult>

export type ShellRequest = {
  readonly command: string
  /** Absolute. Nothing else is kept from one run to the next. */
  readonly cwd: string
  readonly files: Pick<ProgramFiles, 'list' | 'read' | 'write' | 'move' | 'remove' | 'makeFolder' | 'removeFolder'>
  /** Commands beside the shell's own, by name. */
  readonly commands?: { readonly [name: string]: ShellCommand }
  /** For the command itself; loading the shell does not count. */
  readonly timeoutMs: number
}

export type ShellResult = {
  readonly stdout: string
  readonly stderr: string
  /** 0 is success. 124 when the time was over, as `timeout` says it. */
  readonly exitCode: number
  readonly timedOut: boolean
  /** Milliseconds that the command took. */
  readonly ms: number
}

export interface Shell {
  /**
   * Whatever the command does is a result. When it settles nothing of the command is going on any more, and no file is being written.
   * Errors: `worker/start` when the shell cannot run at all; the signal's reason when aborted.
   */
  run(request: ShellRequest, signal: AbortSignal): Promise<ShellResult>
}
