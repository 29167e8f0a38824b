// What the shell's owner and its worker say to each other, besides what every such worker says.
import type { ProgramTree } from '../files/program-files.ts'
import type { ShellCommandResult, ShellRequest, ShellResult } from './shell.ts'

/** What the worker asks its owner for, because only the owner may do it. */
export type OwnerCalls = Omit<ShellRequest['files'], 'list'> & {
  command(name: string, words: readonly string[]): Promise<ShellCommandResult>
}
export type OwnerCall = keyof OwnerCalls

export type RunInWorker = {
  readonly command: string
  readonly cwd: string
  readonly timeoutMs: number
  readonly tree: ProgramTree
  /** Names of the owner's commands. */
  readonly commands: readonly string[]
}

export type ToWorker =
  | { readonly type: 'run'; readonly run: RunInWorker }
  | { readonly type: 'answer'; readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly ok: false; readonly message: string }

export type FromWorker =
  | { readonly type: 'ask'; readonly id: number; readonly call: OwnerCall; readonly args: readonly unknown[] }
  | { readonly type: 'ended'; readonly result: ShellResult }
