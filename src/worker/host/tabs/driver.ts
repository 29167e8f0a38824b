// Whoever drives a session, here or in another tab: the same verbs for both, so that nothing above knows the difference.
import type { SideloopError } from '../../../storage/log/errors.ts'
import type { WatchFrame } from '../../protocol/frames.ts'

/** One watch as its driver serves it: the next frame goes out after the last was acknowledged. */
export type Feed = { ack(): void; stop(): void }

export interface Driver {
  readonly where: 'here' | 'elsewhere'
  /** Names one time of driving: another one, also of the same tab, has another. */
  readonly tenure: string
  /** Errors: those of the command. Settles never when the driver is gone: whoever waits asks the next one. */
  call(group: string, command: string, input: object): Promise<unknown>
  /** Frames from behind `after` on. */
  watch(after: number, show: (frame: WatchFrame) => void): Feed
}

/** What needs the driver of a session, until it says that it is done. Given to each driver anew. */
export type Errand = {
  go(driver: Driver): void
  /** The session cannot be had: its end. */
  fail(error: SideloopError): void
}
