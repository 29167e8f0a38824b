// A copy that takes its time: how far it is, and whether it is still wanted.
import { SideloopError } from '../../../storage/log/errors.ts'
import type { CopyUnderWay } from '../../protocol/agent-host.ts'
import type { Attempts } from '../models/attempts.ts'

export type UnderWay = {
  readonly signal: AbortSignal
  /** From 0 to 1, of the whole. */
  reached(share: number): void
}

/** A part of the whole, as something that is under way by itself. */
export const partOf = ({ signal, reached }: UnderWay, from: number, to: number): UnderWay => ({
  signal,
  reached: (share) => reached(from + Math.min(share, 1) * (to - from)),
})

/** Tells on the port when another hundredth is done. */
const teller = (port: MessagePort | undefined): UnderWay['reached'] => {
  let told = 0
  return (share) => {
    const hundredths = Math.floor(share * 100)
    if (!(hundredths > told)) return
    told = hundredths
    port?.postMessage(hundredths / 100)
  }
}

const stopped = (): SideloopError => new SideloopError('command/invalid', 'It was stopped before it was done. Nothing of it was kept.')

/** Errors: those of the work, and `command/invalid` when it was stopped by its name. */
export const underWay = async <T>(
  attempts: Attempts,
  { attempt, progress }: CopyUnderWay,
  work: (under: UnderWay) => Promise<T>,
): Promise<T> => {
  try {
    return await attempts.run(attempt, undefined, async (signal) => {
      try {
        return await work({ signal, reached: teller(progress) })
      } catch (error) {
        throw signal.aborted ? stopped() : error
      }
    })
  } finally {
    progress?.close()
  }
}
