// The half of a reader that all vendors share: words, calls and refusals into chunks, and how a reply ends (W4). A vendor says what came.
import type { Chunk, FinishReason, ModelFailure, Usage } from '../../../storage/log/model-call.ts'
import { type BlockWriter, blockWriter } from './block-writer.ts'
import { type CallPiece, callCollector } from './call-collector.ts'
import type { ReaderContext } from './reply-reader.ts'
import { taggedThinking } from './tagged-thinking.ts'

/** The vendor's reason in our words, where it ended the reply well. */
export type EndKind = Exclude<FinishReason['kind'], 'invalid-tool' | 'aborted' | 'error'>

export interface ReplyWriter {
  /** For reasoning and its replay data. */
  readonly blocks: Pick<BlockWriter, 'reasoning' | 'replay' | 'close' | 'count'>
  /** Goes by way of what may hide in it: thinking between tags, calls written as text. */
  text(piece: string): void
  /** Shown as text in a block of its own; a reply that ends normally then ends as a refusal. */
  refusal(piece: string): void
  call(piece: CallPiece): void
  /** Ends the reply. Without a raw reason it was inferred, and is marked so. */
  end(kind: EndKind, rawReason: string | undefined): void
  fail(failure: ModelFailure, rawReason?: string): void
  readonly finished: boolean
}

export type ReplyWriterOptions = {
  /** Asked once, right before the finish. */
  usage(): Usage | undefined
  /** Takes thinking that was found between tags in the text. Default: a plain reasoning block. */
  readonly taggedReasoning?: (piece: string) => void
}

export const replyWriter = (context: ReaderContext, emit: (chunk: Chunk) => void, options: ReplyWriterOptions): ReplyWriter => {
  const blocks = blockWriter(emit)
  const calls = callCollector(context, blocks, emit)
  const show = (piece: string) => {
    shown ||= piece.trim() !== ''
    blocks.text(piece)
  }
  const toCalls = context.textCalls?.(context, { text: show, call: calls.add })
  const afterThinking = toCalls?.push ?? show
  const toThinking =
    context.taggedThinking && taggedThinking({ text: afterThinking, reasoning: options.taggedReasoning ?? blocks.reasoning })
  let refused = false
  let shown = false
  let finished = false

  const refusal = (piece: string) => {
    if (!refused) blocks.close()
    refused = true
    show(piece)
  }
  const close = (ending: 'whole' | 'cut') => {
    toThinking?.end()
    toCalls?.end(ending)
    blocks.close()
    return calls.close(ending)
  }
  const finish = (reason: FinishReason, rawReason: string | undefined) => {
    const usage = options.usage()
    if (usage !== undefined) emit({ type: 'usage', usage })
    emit({ type: 'finish', reason, ...(rawReason !== undefined ? { rawReason } : reason.kind === 'error' ? {} : { inferred: true }) })
    finished = true
  }

  return {
    blocks,
    text: toThinking?.push ?? afterThinking,
    refusal,
    call: calls.add,
    end(kind, rawReason) {
      const notice = NOTICES.get(kind)
      if (notice !== undefined && !shown) refusal(notice)
      const ended = close(CUTTING.includes(kind) ? 'cut' : 'whole')
      finish({ kind: decide(kind, ended, refused) }, rawReason)
    },
    fail(failure, rawReason) {
      close('cut')
      const { message, code } = failure
      finish({ kind: 'error', message, ...(code === undefined ? {} : { code }), failure }, rawReason)
    },
    get finished() {
      return finished
    },
  }
}

/** What ends a reply in the middle of a call, whose arguments must not run then. */
const CUTTING: readonly EndKind[] = ['max-tokens', 'content-filter', 'refusal']

/** W6: what is shown of a reply that was stopped before its first word, which would be an empty turn. */
export const NOTICES: ReadonlyMap<EndKind, string> = new Map([
  ['refusal', '(The model refused to answer, and gave no reason.)'],
  ['content-filter', '(The provider’s filter stopped this reply before its first word.)'],
])

/** Whole calls decide, not the reason; and a reason alone runs nothing. */
const decide = (kind: EndKind, { ended, readable }: { readonly ended: number; readonly readable: number }, refused: boolean): EndKind => {
  if (readable > 0 && (kind === 'stop' || kind.startsWith('x-'))) return 'tool-calls'
  const plain = kind === 'tool-calls' && ended === 0 ? 'stop' : kind
  return refused && plain === 'stop' ? 'refusal' : plain
}
