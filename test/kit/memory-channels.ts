// Broadcast channels over a Set, for several hosts in one thread: messages are cloned and come later, as between real tabs.
import type { Channels } from '../../src/worker/host/tabs/channels.ts'

type Listener = { readonly name: string; readonly hear: (message: unknown) => void }

export type MemoryChannels = {
  readonly channels: Channels
  /** From now on it hears nothing and is not heard. */
  kill(): void
  /** Keeps what comes, as for a tab that is frozen, until the disposer is called. */
  freeze(): () => void
}

/** One browser: each call is one tab's end. */
export const memoryChannels = (): (() => MemoryChannels) => {
  const listeners = new Set<Listener>()
  return () => {
    const mine = new Set<Listener>()
    let dead = false
    let kept: (() => void)[] | undefined
    const drop = (listener: Listener): void => {
      listeners.delete(listener)
      mine.delete(listener)
    }
    return {
      channels(name, hear = () => {}) {
        const deliver = (message: unknown): void => {
          if (dead || !mine.has(listener)) return
          if (kept !== undefined) kept.push(() => deliver(message))
          else hear(message)
        }
        const listener: Listener = { name, hear: deliver }
        listeners.add(listener)
        mine.add(listener)
        return {
          post(message) {
            if (dead) return
            for (const other of listeners) {
              if (other.name !== name || other === listener) continue
              const copy = structuredClone(message)
              setImmediate(() => other.hear(copy))
            }
          },
          close: () => drop(listener),
        }
      },
      kill() {
        dead = true
        for (const listener of [...mine]) drop(listener)
      },
      freeze() {
        kept = []
        return () => {
          const waiting = kept ?? []
          kept = undefined
          for (const deliver of waiting) deliver()
        }
      },
    }
  }
}
