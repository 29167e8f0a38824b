// Parts of the host that are loaded when they are first needed.
import { SideloopError } from '../../storage/log/errors.ts'
import { NOT_LOADED } from '../llm/lazy-adapter.ts'

/** Done once; a failure is told to whoever waits, and the next one tries again. */
export const lazily = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let done: Promise<T> | undefined
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined
      throw error instanceof SideloopError ? error : new SideloopError('worker/start', NOT_LOADED, { cause: error })
    })
    return done
  }
}

type Group = { readonly [name: string]: (input: never) => Promise<unknown> }

/** A group of commands whose code comes with its first call. */
export const lazyGroup = <T extends Group>(load: () => Promise<T>, names: readonly (keyof T & string)[]): T =>
  Object.fromEntries(names.map((name) => [name, async (input: never) => (await load())[name]?.(input)])) as T
