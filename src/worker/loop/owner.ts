// Who owns what: everything registered or started in a scope is undone with it, newest first, each awaited.
import type { Disposer } from '../hooks/agent.ts'

export interface Owner {
  /** Gives the disposer back; calling it early takes it off the list. */
  own(dispose: Disposer): Disposer
  /** To quiescence. A failing disposer is reported and does not keep the others. */
  dispose(): Promise<void>
  readonly disposed: boolean
}

export const createOwner = (report: (error: unknown, where: string) => void): Owner => {
  const owned = new Set<Disposer>()
  let disposing: Promise<void> | undefined

  const undoAll = async (): Promise<void> => {
    for (let last = [...owned].at(-1); last !== undefined; last = [...owned].at(-1)) {
      owned.delete(last)
      try {
        await last()
      } catch (error) {
        report(error, 'dispose')
      }
    }
  }

  return {
    own(dispose) {
      const once: Disposer = () => {
        owned.delete(once)
        return dispose()
      }
      owned.add(once)
      return once
    },
    dispose() {
      disposing ??= undoAll()
      return disposing
    },
    get disposed() {
      return disposing !== undefined
    },
  }
}
