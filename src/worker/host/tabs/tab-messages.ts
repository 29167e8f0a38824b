// What tabs say to each other, read as it arrives: another tab may be of another build, or wrong.
import type { SessionId } from '../../../storage/log/content.ts'
import type { WireError } from '../../client/error-transfer.ts'
import type { WatchFrame } from '../../protocol/frames.ts'
import { byType, integer, object, oneOf, type Shape, text } from '../../protocol/shapes.ts'

type OfSession = { readonly session: SessionId; readonly from: string }
type OfDriver = OfSession & { readonly tenure: string }

export type TabMessage =
  /** To all, or to who asked. `from` is the tab to answer to. */
  | ({ readonly type: 'who' } & OfSession)
  | ({ readonly type: 'driving' } & OfDriver)
  | ({ readonly type: 'yield' } & OfSession)
  | { readonly type: 'stopped'; readonly session: SessionId }
  /** To the driver: of another tenure, it is for nobody. */
  | ({
      readonly type: 'call'
      readonly request: string
      readonly group: string
      readonly command: string
      readonly input: object
    } & OfDriver)
  | ({ readonly type: 'watch'; readonly watch: string; readonly after: number } & OfDriver)
  | { readonly type: 'reply'; readonly from: string; readonly watch: string; readonly reply: 'ack' | 'stop' }
  /** From the driver, or from who was it: whoever drives now is to be asked. */
  | { readonly type: 'left'; readonly session: SessionId; readonly tenure: string }
  | { readonly type: 'answer'; readonly request: string; readonly value?: unknown }
  | { readonly type: 'refusal'; readonly request: string; readonly error: WireError }
  | { readonly type: 'frame'; readonly watch: string; readonly frame: WatchFrame }

const id = text(200, 1)
const anything: Shape<unknown> = (value) => value
const error = object({ code: id, message: text(10_000) }, { details: anything })
const plain = object({})
const input: Shape<object> = (value, path) => {
  plain(value, path)
  return value as object
}

/** Events are taken as they are, as a page takes them from its worker; that none is missing is what a watch depends on. */
const frame: Shape<unknown> = (value, path) => {
  const { events, stored } = object({ events: anything, stored: integer(0) })(value, path)
  const first = Array.isArray(events) ? Number(events[0]?.seq ?? 0) : Number.NaN
  if (!Array.isArray(events) || !events.every((event, i) => event?.seq === first + i)) oneOf('in order')(events, `${path}.events`)
  return { ...(value as object), stored }
}

const ofSession = { session: id, from: id }
const ofDriver = { ...ofSession, tenure: id }

const shape = byType({
  who: object({ type: oneOf('who'), ...ofSession }),
  driving: object({ type: oneOf('driving'), ...ofDriver }),
  yield: object({ type: oneOf('yield'), ...ofSession }),
  stopped: object({ type: oneOf('stopped'), session: id }),
  call: object({ type: oneOf('call'), ...ofDriver, request: id, group: id, command: id, input }),
  watch: object({ type: oneOf('watch'), ...ofDriver, watch: id, after: integer(-1) }),
  reply: object({ type: oneOf('reply'), from: id, watch: id, reply: oneOf('ack', 'stop') }),
  left: object({ type: oneOf('left'), session: id, tenure: id }),
  answer: object({ type: oneOf('answer'), request: id }, { value: anything }),
  refusal: object({ type: oneOf('refusal'), request: id, error }),
  frame: object({ type: oneOf('frame'), watch: id, frame }),
})

/** Undefined for what is not understood. */
export const readTabMessage = (message: unknown): TabMessage | undefined => {
  try {
    return shape(message, '') as TabMessage
  } catch {
    return undefined // of another build, or of somebody who uses the same name
  }
}
