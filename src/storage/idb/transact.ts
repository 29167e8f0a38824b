// One transaction, in which nothing can be awaited but its own requests: awaiting anything else would commit it half done.
import type { IDBPDatabase, IDBPTransaction } from 'idb'
import { unwrap } from 'idb'
import { SideloopError } from '../log/errors.ts'
import type { SideloopSchema, StoreName } from './schema.ts'

export interface Steps {
  /** Goes on when the request is done, inside the transaction. `next` gives a value, another request, or another `after`. */
  after<A, B>(request: Promise<A>, next: (value: A) => B | Promise<B>): Promise<B>
  /** Issues a request whose result nobody needs. If it fails, the whole transaction does. */
  also(request: Promise<unknown>): void
}

export type Transaction<Names extends readonly StoreName[], Mode extends IDBTransactionMode> = IDBPTransaction<
  SideloopSchema,
  [...Names],
  Mode
>

/** Issues requests and gives a request, what `after` gave, or a plain value. Never an async function. */
export type Work<Names extends readonly StoreName[], Mode extends IDBTransactionMode, T> = (
  tx: Transaction<Names, Mode>,
  steps: Steps,
) => T | Promise<T>

export type Scope<Names extends readonly StoreName[], Mode extends IDBTransactionMode> = {
  readonly stores: Names
  readonly mode: Mode
  readonly durability: IDBTransactionDurability
}

const foreign = (): SideloopError =>
  new SideloopError('internal', 'Inside a transaction only its own requests may be awaited. Do everything else before it opens.')

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise

/**
 * Resolves when the transaction is complete. Rejects with what `work` threw, else with the first failed request, else with the reason
 * of the abort; the transaction is then aborted and nothing of it is stored.
 */
export const transact = async <const Names extends readonly StoreName[], Mode extends IDBTransactionMode, T>(
  db: IDBPDatabase<SideloopSchema>,
  { stores, mode, durability }: Scope<Names, Mode>,
  work: Work<Names, Mode, T>,
): Promise<T> => {
  const tx = db.transaction<[...Names], Mode>([...stores], mode, { durability })
  const own = new WeakSet<object>()
  let failure: { readonly reason: unknown } | undefined
  /** Parts of the work that still may issue requests: itself, and what waits in `after`. */
  let open = 1

  const fail = (reason: unknown): void => {
    failure ??= { reason }
  }
  const abort = (reason: unknown): void => {
    fail(reason)
    try {
      tx.abort()
    } catch {
      // InvalidStateError: it has ended already, and `failure` tells the caller.
    }
  }
  /** Saves the way to the browser's process and back that it takes to find out by itself that nothing more will come. */
  const finishPart = (): void => {
    open -= 1
    if (open > 0 || failure !== undefined) return
    try {
      tx.commit()
    } catch {
      // InvalidStateError: it has ended already, and `tx.done` tells how.
    }
  }
  const checkOwn = (promise: Promise<unknown>): void => {
    if (own.has(promise) || unwrap(promise) instanceof IDBRequest) return
    promise.catch(() => {
      // The foreign promise is refused already; its own failure adds nothing.
    })
    throw foreign()
  }
  const steps: Steps = {
    after(request, next) {
      checkOwn(request)
      open += 1
      const result = request.then((value) => {
        try {
          const given = next(value)
          if (isPromise(given)) checkOwn(given)
          finishPart()
          return given
        } catch (error) {
          abort(error)
          throw error
        }
      })
      result.catch(fail)
      own.add(result)
      return result
    },
    also(request) {
      checkOwn(request)
      request.catch(fail)
    },
  }

  let result: T | Promise<T> | undefined
  try {
    result = work(tx, steps)
    if (isPromise(result)) checkOwn(result)
    finishPart()
  } catch (error) {
    abort(error)
  }
  const [outcome, end] = await Promise.allSettled([result, tx.done])
  if (failure !== undefined) throw failure.reason
  if (end.status === 'rejected') throw end.reason
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value as T
}
