// What waits in an agent's inbox: not in the log before its turn, and durable in the inbox store all the same.
import type { ContentBlock, MessageId, Source } from './content.ts'

/** `target`: `turn` waits for a turn of its own, `step` enters the running turn between two steps (steering). */
export type Waiting = {
  readonly id: MessageId
  readonly content: readonly ContentBlock[]
  readonly source: Source
  readonly target: 'turn' | 'step'
}
