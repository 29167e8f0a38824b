// What a stopped turn had shown becomes a message marked as interrupted, without tool calls: the next request holds what the person saw.
import type { ContentBlock } from '../../storage/log/content.ts'
import type { Usage } from '../../storage/log/model-call.ts'
import type { LlmRequest } from '../hooks/llm.ts'
import type { Driver, Turn } from './driver.ts'

export type Shown = { readonly content: readonly ContentBlock[]; readonly usage: Usage | undefined; readonly chunks: readonly number[] }

const isVisible = (block: ContentBlock): boolean => (block.type === 'text' || block.type === 'reasoning') && block.text.trim() !== ''

/** Nothing visible: no message. */
export const keepVisible = ({ log }: Driver, turn: Turn, request: LlmRequest, { content, usage, chunks }: Shown): void => {
  const visible = content.filter(isVisible)
  if (visible.length === 0) return
  log.append(
    'assistant/message',
    {
      turn: turn.number,
      step: turn.step,
      content: visible,
      provenance: { provider: request.provider, model: request.model },
      ...(usage === undefined ? {} : { usage }),
      interrupted: true,
    },
    { surfaceOp: 'append', sourceEventSeqs: chunks },
  )
}
