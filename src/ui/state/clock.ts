// The time as signals, so that elapsed and relative times move without anybody asking.
import type { ReadonlySignal } from '@preact/signals'
import { computed, signal } from '@preact/signals'

/** Epoch milliseconds, of the last full second and of the last full minute. */
export type Clock = { readonly second: ReadonlySignal<number>; readonly minute: ReadonlySignal<number>; stop(): void }

export const createClock = (now: () => number): Clock => {
  const second = signal(now())
  const timer = setInterval(() => {
    second.value = now()
  }, 1000)
  return { second, minute: computed(() => Math.floor(second.value / 60_000) * 60_000), stop: () => clearInterval(timer) }
}
