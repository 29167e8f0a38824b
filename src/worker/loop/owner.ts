// Who owns what: everything registered or started in a scope is undone with it, newest first, each awaited.
import { SideloopError } from '../../storage/log/errors.ts'
import type { Disposer } from '../hooks/agent.ts'

export interface Owner {
  /**
   * Gives the disposer back; calling it early undoes it early, and calling it again changes nothing. `end`, for what takes its time, is called when the disposal begins,
   * so that all of them come to their end together. On a disposed owner the disposer is called at once. Errors: `agent/disposed`.
   */
  own(dispose: Disposer, end?: () => void): Disposer
  /** The beginning of `dispose`: nothing new is owned, and what runs is told to stop. */
  end(): void
  /** To quiescence. A failing disposer is reported and does not keep the others. */
  dispose(): Promise<void>
  readonly disposed: boolean
}

export const createOwner = (report: (error: unknown, where: string) => void): Owner => {
  const owned = new Map<Disposer, (() => void) | undefined>()
  let disposed = false
  let disposing: Promise<void> | undefined

  const undo = async (dispose: Disposer): Promise<void> => {
    try {
      await dispose()
    } catch (error) {
      report(error, 'dispose')
    }
  }
  const undoAll = async (): Promise<void> => {
    for (let last = [...owned.keys()].at(-1); last !== undefined; last = [...owned.keys()].at(-1)) {
      owned.delete(last)
      await undo(last)
    }
  }
  const end = (): void => {
    if (disposed) return
    disposed = true
    for (const stop of [...owned.values()]) stop?.()
  }

  return {
    own(dispose, stop) {
      if (disposed) {
        void undo(dispose)
        throw new SideloopError('agent/disposed', 'This scope is disposed: nothing can be registered or started in it')
      }
      let undone: { readonly result: void | Promise<void> } | undefined
      const once: Disposer = () => {
        if (undone !== undefined) return undone.result
        undone = { result: dispose() }
        const leave = (): void => void owned.delete(once)
        if (undone.result === undefined) leave()
        else undone.result.then(leave, leave) // until then a disposal of the whole waits for it too
        return undone.result
      }
      owned.set(once, stop)
      return once
    },
    end,
    dispose() {
      end()
      disposing ??= undoAll()
      return disposing
    },
    get disposed() {
      return disposed
    },
  }
}
