// The typed hook bus: who listens to what, and the four ways in which an event is dispatched.
import { SideloopError } from '../../storage/log/errors.ts'
import type { Disposer } from './agent.ts'
import { HOOK_MODES, type HookMode, type Hooks } from './hooks.ts'

type EventsOf<M extends HookMode> = { [E in keyof Hooks]: (typeof HOOK_MODES)[E] extends M ? E : never }[keyof Hooks]
export type EmitEvent = EventsOf<'emit'>
export type SerialEvent = EventsOf<'serial'>
export type WaterfallEvent = EventsOf<'waterfall'>
export type ParallelEvent = EventsOf<'parallel'>

type Leading<P> = P extends [...infer Head, unknown] ? Head : never
type WaterfallArgs<E extends WaterfallEvent> = Leading<Parameters<Hooks[E]>>

export interface HookBus {
  /** Errors: `command/invalid` for an event that does not exist or a listener that is no function. */
  on<E extends keyof Hooks>(event: E, listener: Hooks[E], options?: { readonly prepend?: boolean }): Disposer
  has(event: keyof Hooks): boolean
  /** Synchronous and contained: what a listener throws is reported, and the next one is called. */
  emit<E extends EmitEvent>(event: E, ...args: Parameters<Hooks[E]>): void
  /** Awaited in order; stops at the first value (undefined, null and false are none) and gives it. */
  serial<E extends SerialEvent>(event: E, ...args: Parameters<Hooks[E]>): Promise<unknown>
  /**
   * The first registered is outermost; each may call `next()` for the inner value, at the heart of which is `inner()`. `next` of an
   * event whose value is a promise gives a promise, whatever happens inside. A listener that gives nothing is a `TypeError`.
   */
  waterfall<E extends WaterfallEvent>(event: E, ...rest: [...WaterfallArgs<E>, () => ReturnType<Hooks[E]>]): ReturnType<Hooks[E]>
  /** All started, all awaited; then the first failure is thrown. */
  parallel<E extends ParallelEvent>(event: E, ...args: Parameters<Hooks[E]>): Promise<void>
}

type AnyListener = (...args: unknown[]) => unknown

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

const given = (event: keyof Hooks, value: unknown): unknown => {
  if (value === undefined) throw new TypeError(`A listener of ${event} returned nothing; it must return a value or next()`)
  return value
}

/** Whoever asked is told all the same; whoever does not look at the answer must not cause an unhandled rejection. */
const quiet = (value: unknown): unknown => {
  if (isThenable(value)) value.then(undefined, () => {})
  return value
}

/** Nothing that a listener throws leaves it other than as a rejection. */
const givenLater = async (event: keyof Hooks, call: () => unknown): Promise<unknown> => given(event, await call())

export const createHookBus = (report: (error: unknown, where: string) => void): HookBus => {
  // The arrays are replaced, never changed, so that a dispatch goes on over the list that it started with.
  const listeners = new Map<keyof Hooks, readonly AnyListener[]>()
  const none: readonly AnyListener[] = []
  const of = (event: keyof Hooks): readonly AnyListener[] => listeners.get(event) ?? none

  return {
    on(event, listener, options) {
      if (!Object.hasOwn(HOOK_MODES, event)) throw new SideloopError('command/invalid', `There is no event named "${String(event)}"`)
      if (typeof listener !== 'function') throw new SideloopError('command/invalid', `The listener of ${event} must be a function`)
      const entry: AnyListener = (...args) => (listener as AnyListener)(...args)
      listeners.set(event, options?.prepend ? [entry, ...of(event)] : [...of(event), entry])
      return () => {
        listeners.set(
          event,
          of(event).filter((each) => each !== entry),
        )
      }
    },
    has: (event) => of(event).length > 0,
    emit(event, ...args) {
      for (const listener of of(event)) {
        try {
          const result = listener(...args)
          if (isThenable(result)) result.then(undefined, (error) => report(error, event))
        } catch (error) {
          report(error, event)
        }
      }
    },
    async serial(event, ...args) {
      for (const listener of of(event)) {
        const value = await listener(...args)
        if (value !== undefined && value !== null && value !== false) return value
      }
      return undefined
    },
    waterfall(event, ...rest) {
      const chain = of(event)
      const args = rest.slice(0, -1)
      const inner = rest.at(-1) as () => unknown
      const call = (i: number): unknown => {
        const listener = chain[i]
        if (listener === undefined) return inner()
        const run = (): unknown => listener(...args, () => quiet(call(i + 1)))
        // A stream is no promise: it is given at once, and fails while it is read.
        return event === 'llm/stream' ? given(event, run()) : givenLater(event, run)
      }
      return call(0) as ReturnType<Hooks[typeof event]>
    },
    async parallel(event, ...args) {
      const results = await Promise.allSettled(of(event).map(async (listener) => listener(...args)))
      for (const result of results) if (result.status === 'rejected') throw result.reason
    },
  }
}
