// What a tool's result says to the task run that it belongs to, in `meta.signals`.

export type StatusResult = {
  readonly task: string
  readonly done: string
  readonly remaining: string
  /** With an explicit flag what it says, else whether nothing remains. */
  readonly complete: boolean
  readonly hasExplicitFlag: boolean
}

/** They count only if the command that made them succeeded. */
export type TaskSignals = {
  readonly statusComplete?: boolean
  readonly statusResult?: StatusResult
  readonly setupComplete?: boolean
  readonly awaitingUser?: boolean
}

const NOTHING = ['', 'none', 'n/a', 'na', 'nothing', '-']

/** `Nothing.` is nothing too. */
export const isNothing = (remaining: string): boolean =>
  NOTHING.includes(
    remaining
      .trim()
      .replace(/[.!]+$/, '')
      .toLowerCase(),
  )
