// The replay adapter (K3): answers from recorded sessions, without a key and without a network. What was not recorded is a loud failure.
import type { SideloopError } from '../../../storage/log/errors.ts'
import type { Chunk } from '../../../storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest } from '../../hooks/llm.ts'
import { modelCallError } from '../model-call-error.ts'
import { differences } from './replay/differences.ts'
import type { Cassette } from './replay/read-cassette.ts'
import { type RecordedCall, recordedCalls } from './replay/recorded-calls.ts'

export type ReplayOptions = {
  /**
   * What of a request is compared with the recorded one, both as JSON. Default: all of it. For an application whose requests hold
   * what changes from run to run, such as a date.
   */
  readonly compared?: (request: unknown) => unknown
}

export type Replay = LlmAdapter & {
  /** Recorded calls that were not asked for: none, at the end of a test. */
  readonly remaining: number
}

type Playing = { readonly cassette: Cassette; readonly calls: readonly RecordedCall[]; played: number; session: string | undefined }

/**
 * Each session gets the cassette of its own id, else the first that no session has; its calls are answered in their order. A call that
 * failed fails again as it did, one that was stopped waits to be stopped. Fails with class `protocol`, never to be retried: code
 * `replay-mismatch` with the places that differ, `replay-exhausted` when nothing more was recorded.
 */
export const replay = (cassettes: readonly Cassette[], { compared = (request) => request }: ReplayOptions = {}): Replay => {
  const playing = cassettes.map((cassette): Playing => ({ cassette, calls: recordedCalls(cassette.events), played: 0, session: undefined }))

  const cassetteFor = (session: string): Playing | undefined => {
    const own =
      playing.find((one) => one.session === session) ??
      playing.find((one) => one.session === undefined && one.cassette.header.id === session)
    const found = own ?? playing.find((one) => one.session === undefined)
    if (found !== undefined) found.session = session
    return found
  }

  const next = (request: LlmRequest): RecordedCall => {
    const found = cassetteFor(request.sessionId ?? '')
    const call = found?.calls[found.played]
    if (found === undefined || call === undefined) {
      const has =
        found === undefined ? 'every recorded session is in use' : `${found.calls.length} calls were recorded, all of them were played`
      throw loud('replay-exhausted', `Nothing was recorded for this request: ${has}. Record the session anew.`)
    }
    const places =
      call.json === undefined ? [] : differences(compared(JSON.parse(call.json)), compared(JSON.parse(JSON.stringify(request))))
    if (places.length > 0) {
      const which = `turn ${call.turn}, step ${call.step}, attempt ${call.attempt}`
      throw loud('replay-mismatch', `The request is not the one that was recorded (${which}). They differ at:\n${places.join('\n')}`)
    }
    found.played += 1
    return call
  }

  return {
    async *stream(request): AsyncGenerator<Chunk> {
      request.signal?.throwIfAborted()
      const { chunks, ending } = next(request)
      for (const chunk of chunks) {
        yield chunk
        request.signal?.throwIfAborted()
      }
      if (ending?.kind === 'failed') throw modelCallError(ending.failure)
      if (ending?.kind === 'stopped') await untilAborted(request.signal)
    },
    info: () => undefined,
    models: async () => [],
    get remaining() {
      return playing.reduce((sum, { calls, played }) => sum + calls.length - played, 0)
    },
  }
}

const loud = (code: string, message: string): SideloopError => modelCallError({ class: 'protocol', code, transient: false, message })

/** Nobody who stops it: then it ends as a stream that just stops. */
const untilAborted = async (signal: AbortSignal | undefined): Promise<void> => {
  if (signal === undefined) return
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  throw signal.reason
}
