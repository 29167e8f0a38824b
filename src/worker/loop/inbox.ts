// What waits for an agent: prompts for a turn of their own, steering for the running one. Editable, and durable through its observers.
import type { ContentBlock, MessageId } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { Waiting } from '../../storage/log/waiting.ts'
import type { Inbox } from '../hooks/agent.ts'
import { readContent } from './read-input.ts'

/** The loop's side of the inbox. A taken message stays `unlogged` until the event that it became is in the log. */
export interface DriverInbox extends Inbox {
  add(message: Waiting): void
  has(id: MessageId): boolean
  /** Takes everything for that target, in order; nothing while held. */
  take(target: Waiting['target']): readonly Waiting[]
  /** The event is in the log: the inbox owes it no more. */
  logged(id: MessageId): void
  /** What was taken and could not be logged waits again, held: it would fail in the same way at once. */
  putBack(): void
  /** Steering that its turn did not take becomes a prompt of its own. */
  requeueSteering(): void
  dropSteering(): void
  clear(): void
  hasPrompts(): boolean
  hasSteering(): boolean
}

const unknown = (id: MessageId): SideloopError =>
  new SideloopError('command/invalid', `No message ${id} waits here: it may have been sent or removed meanwhile`)

export const createInbox = (report: (error: unknown, where: string) => void): DriverInbox => {
  let waiting: readonly Waiting[] = Object.freeze([])
  let taken: readonly Waiting[] = []
  let held = false
  const listeners = new Set<() => void>()

  const changed = (): void => {
    for (const listener of [...listeners]) {
      try {
        listener()
      } catch (error) {
        report(error, 'inbox')
      }
    }
  }
  /** An empty inbox holds nothing, so it is not held either: what comes next must not be stuck. */
  const set = (next: readonly Waiting[], nextHeld = held): void => {
    waiting = Object.freeze([...next])
    held = nextHeld && next.length > 0
    changed()
  }
  const find = (id: MessageId): Waiting => {
    const message = waiting.find((each) => each.id === id)
    if (message === undefined) throw unknown(id)
    return message
  }
  const replace = (id: MessageId, change: Partial<Waiting>): void => {
    const next = Object.freeze({ ...find(id), ...change })
    set(waiting.map((each) => (each.id === id ? next : each)))
  }
  const isSteering = (message: Waiting): boolean => message.target === 'step'

  return {
    get waiting() {
      return waiting
    },
    get unlogged() {
      return [...taken, ...waiting]
    },
    get held() {
      return held
    },
    edit: (id, content: readonly ContentBlock[]) => replace(id, { content: readContent(content) }),
    retarget(id, target) {
      if (target !== 'turn' && target !== 'step') throw new SideloopError('command/invalid', `A message waits for a 'turn' or a 'step'`)
      replace(id, { target })
    },
    remove(id) {
      find(id)
      set(waiting.filter((each) => each.id !== id))
    },
    move(id, before) {
      const message = find(id)
      if (before === id) return
      const rest = waiting.filter((each) => each.id !== id)
      const at = before === null ? rest.length : rest.findIndex((each) => each.id === before)
      if (at < 0) throw unknown(before ?? id)
      set(rest.toSpliced(at, 0, message))
    },
    release() {
      if (held) set(waiting, false)
    },
    hold() {
      if (waiting.length > 0 && !held) set(waiting, true)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    add(message) {
      set([...waiting, Object.freeze(message)])
    },
    has: (id) => waiting.some((each) => each.id === id) || taken.some((each) => each.id === id),
    take(target) {
      const messages = held ? [] : waiting.filter((each) => each.target === target)
      if (messages.length === 0) return messages
      taken = [...taken, ...messages]
      set(waiting.filter((each) => each.target !== target))
      return messages
    },
    logged(id) {
      taken = taken.filter((each) => each.id !== id)
      changed()
    },
    putBack() {
      if (taken.length === 0) return
      const back = taken
      taken = []
      set([...back, ...waiting], true)
    },
    requeueSteering() {
      if (waiting.some(isSteering)) set(waiting.map((each) => (isSteering(each) ? Object.freeze({ ...each, target: 'turn' }) : each)))
    },
    dropSteering() {
      if (waiting.some(isSteering)) set(waiting.filter((each) => !isSteering(each)))
    },
    clear() {
      if (waiting.length > 0) set([])
    },
    hasPrompts: () => !held && waiting.some((each) => !isSteering(each)),
    hasSteering: () => !held && waiting.some(isSteering),
  }
}
