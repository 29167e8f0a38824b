// How the next message is taken: as a word in a conversation, or as a task that goes on until it is reported done.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { TaskKind } from '../../storage/log/events.ts'

export type Mode = {
  /** Undefined: a message of the conversation. */
  readonly task?: TaskKind
  readonly label: string
  readonly detail: string
}

/** The kinds a person starts; the others are for programs. */
export const MODES: readonly [Mode, ...Mode[]] = [
  { label: 'Chat', detail: 'The agent answers, and waits for you.' },
  { task: 'task', label: 'Task', detail: 'The agent goes on until it reports that all is done, and is asked to when it stops early.' },
  { task: 'explore', label: 'Explore', detail: 'The agent looks around and answers. It changes nothing.' },
  { task: 'plan', label: 'Plan', detail: 'The agent works out a plan. It changes nothing.' },
  { task: 'interview', label: 'Interview', detail: 'The agent works as on a task, and may stop to ask you in text.' },
]

export type Modes = {
  readonly mode: ReadonlySignal<Mode>
  choose(mode: Mode): void
}

export const createModes = (): Modes => {
  const mode = signal<Mode>(MODES[0])
  return {
    mode,
    choose(next) {
      mode.value = next
    },
  }
}
