// What every vendor's reader is: bytes in, chunks out, no I/O; the same chunks however the bytes were cut.
import type { ToolSchema } from '../../../storage/log/model-call.ts'
import type { CallPiece } from './call-collector.ts'

export interface ReplyReader {
  push(bytes: Uint8Array): void
  /** The connection closed normally. Emits the finish if there was none yet. */
  end(): void
  /** True after the finish chunk: what still arrives is ignored, the connection may be dropped. */
  readonly finished: boolean
}

export type ReaderContext = {
  /** The tools of the request: they decide how a split name is put together and which text is a call. */
  readonly tools?: readonly ToolSchema[]
  /** Call ids of the session. A vendor that numbers its calls anew in each reply gets ids of ours instead. */
  readonly takenIds?: ReadonlySet<string>
  /** For calls that came without an id. */
  newId(): string
  /** The model writes its thinking into the text, between think tags. */
  readonly taggedThinking?: true
  /** For models that may write calls as text: what finds them. Given, not imported, because few models need it. */
  readonly textCalls?: FindTextCalls
}

/** A filter of running text: what is left goes to `text`, the calls in it to `call`. */
export type FindTextCalls = (context: ReaderContext, to: { text(piece: string): void; call(piece: CallPiece): void }) => TextCallFilter

export interface TextCallFilter {
  push(piece: string): void
  /** `cut`: markup that is not whole is a cut call if it names a declared tool. */
  end(ending: 'whole' | 'cut'): void
}
