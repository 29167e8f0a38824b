// The way through the parts of a scripted reply that every vendor's stream goes; a vendor says only what it writes.
import type { FinishReason, ModelFailure, Usage } from '../../src/storage/log/model-call.ts'
import type { StreamStep } from './chat-stream.ts'
import type { Part } from './replies.ts'

export type VendorWords = {
  /** `last`: the last piece of its block. */
  text(piece: string): string
  reasoning(piece: string, replay: unknown, last: boolean): string
  call(call: { readonly name: string; readonly id: string | undefined; readonly args: unknown }): string
  error(message: string, failure: ModelFailure | undefined): string
  /** `usage`: 10 in and 5 out unless the reply says otherwise. */
  end(reason: string | undefined, usage: Usage | undefined, calls: number): string
}

/** For vendors that send calls whole: pieces of arguments are only waited for. A cut call is left out, and the limit is the reason. */
export function* streamSteps(
  parts: readonly Part[],
  words: VendorWords,
  reasons: Partial<Record<FinishReason['kind'], string>>,
): Generator<StreamStep, void, undefined> {
  let usage: Usage | undefined = { inputTokens: 10, outputTokens: 5 }
  let reason: string | undefined
  let calls = 0
  for (const part of parts) {
    switch (part.part) {
      case 'block': {
        const { block, pieces } = part
        const last = pieces.findLastIndex((piece) => typeof piece === 'string')
        for (const [index, piece] of pieces.entries()) {
          if (typeof piece !== 'string') yield piece
          else if (block.type === 'text') yield words.text(piece)
          else yield words.reasoning(piece, block.replay, index === last)
        }
        break
      }
      case 'tool-call':
        for (const piece of part.pieces) if (typeof piece !== 'string') yield piece
        if (part.cut === 'cut') reason = reasons['max-tokens']
        else {
          calls += 1
          yield words.call({ name: part.name, id: part.id, args: JSON.parse(part.arguments) })
        }
        break
      case 'usage':
        usage = part.usage
        break
      case 'finish':
        if (part.reason.kind === 'error') {
          yield words.error(part.reason.message, part.reason.failure)
          return
        }
        reason = part.rawReason ?? reasons[part.reason.kind] ?? part.reason.kind
        break
      case 'hold':
        yield part.gate
        break
      case 'hang':
      case 'disconnect':
        yield part.part
        return
      case 'chunks':
      case 'throw':
        throw new Error(`A scripted server cannot send the part "${part.part}": it is for the scripted model.`)
    }
  }
  yield words.end(reason, usage, calls)
}
