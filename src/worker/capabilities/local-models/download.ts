// Downloads one file of weights, piece by piece into the place where it is kept: what is there stays, and the next try goes on from it.
import { SideloopError } from '../../../storage/log/errors.ts'
import {
  type AttemptNeeds,
  attempt,
  Broken,
  type DownloadListener,
  FileChanged,
  hostOf,
  type Known,
  NOTHING,
  Unreached,
} from './download-attempt.ts'
import type { Weights } from './weights.ts'

/** `etag`, `bytes`: what an earlier part of it came with. Then it is gone on with only if they are still the same. */
export type WeightsAddress = { readonly name: string; readonly url: string; readonly etag?: string; readonly bytes?: number }

export type DownloadNeeds = AttemptNeeds & {
  readonly weights: Weights
  /** What a browser does not say of a connection that failed, in words for a person. */
  readonly explain: (url: string, error: unknown, signal: AbortSignal) => Promise<string>
}

/** Tries in a row in which nothing came, before it is given up. */
const MOST_TRIES = 5
const FIRST_WAIT_MS = 500
const MOST_WAIT_MS = 10_000

/** Gives the size of the whole file. Errors: `model/failed` with what to do, those of the store, the signal's reason; what came is kept. */
export const downloadWeights = async (
  address: WeightsAddress,
  needs: DownloadNeeds,
  on: DownloadListener,
  signal: AbortSignal,
): Promise<number> => {
  const { weights, wait, explain } = needs
  const writer = await weights.write(address.name)
  // Of a file of which nothing is here, what was known was somebody's guess.
  let known: Known = writer.size === 0 ? NOTHING : { etag: address.etag, bytes: address.bytes }
  try {
    for (let tries = 1; ; tries++) {
      const before = writer.size
      try {
        const done = await attempt(address.url, writer, known, needs, on, signal, (facts) => {
          known = facts
        })
        if (done) return writer.size
        throw new Broken('it ended before the file was whole')
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof Broken)) throw error
        if (error instanceof FileChanged) {
          writer.restart()
          known = NOTHING
        } else if (writer.size > before) tries = 0
        if (tries >= MOST_TRIES)
          throw refused(
            address.url,
            writer.size,
            error instanceof Unreached ? await explain(address.url, error.cause, signal) : `${error.message}.`,
          )
        await wait(Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, tries - 1)), signal)
        signal.throwIfAborted()
      }
    }
  } finally {
    writer.close()
  }
}

const refused = (url: string, kept: number, why: string): SideloopError =>
  new SideloopError(
    'model/failed',
    `The model could not be downloaded from ${hostOf(url)}: ${why} ${kept > 0 ? 'What has arrived is kept; try' : 'Try'} again.`,
  )
