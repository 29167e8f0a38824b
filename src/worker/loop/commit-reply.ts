// Turns a finished reply into the one assistant message of its step: listeners have their say, cut calls go, ids become unique.
import type { AssistantMessage, ContentBlock, ToolCallBlock } from '../../storage/log/content.ts'
import type { SessionEventData } from '../../storage/log/events.ts'
import { freezeJson, jsonEqual } from '../../storage/log/lossless-json.ts'
import type { LlmRequest } from '../hooks/llm.ts'
import type { Reply } from './collect-reply.ts'
import type { Driver, Turn } from './driver.ts'
import { keepVisible } from './keep-visible.ts'
import { GRACE_MS, settleWithin, TurnStopped } from './stop.ts'

const withoutCalls = (content: readonly ContentBlock[]): readonly ContentBlock[] => content.filter((block) => block.type !== 'tool-call')

/** A call id is used once in a session; a vendor that counts from one again gets its id kept beside ours. */
const uniqueCallIds = ({ log, newId }: Driver, content: readonly ContentBlock[]): readonly ContentBlock[] => {
  const here = new Set<string>()
  return content.map((block) => {
    if (block.type !== 'tool-call') return block
    const taken = block.id === '' || here.has(block.id) || log.hasCall(block.id)
    const unique: ToolCallBlock = taken
      ? { ...block, id: newId(), ...(block.id === '' ? {} : { vendorId: block.vendorId ?? block.id }) }
      : block
    here.add(unique.id)
    return unique
  })
}

const provenanceOf = (request: LlmRequest, reply: Reply): AssistantMessage['provenance'] => ({
  provider: request.provider,
  model: request.model,
  ...(reply.replayState === undefined ? {} : { replayState: reply.replayState }),
})

/** Gives the calls to run. A throwing listener still leaves an empty message as an anchor. */
export const commitReply = async (driver: Driver, turn: Turn, request: LlmRequest, reply: Reply): Promise<readonly ToolCallBlock[]> => {
  const { agent, bus, log } = driver
  const cut = reply.finish.kind === 'max-tokens'
  const proposed: AssistantMessage = freezeJson({
    role: 'assistant',
    content: cut ? withoutCalls(reply.content) : reply.content,
    provenance: provenanceOf(request, reply),
  })
  const append = (message: AssistantMessage): SessionEventData['assistant/message'] =>
    log.append(
      'assistant/message',
      {
        turn: turn.number,
        step: turn.step,
        content: message.content,
        provenance: message.provenance,
        ...(reply.usage === undefined ? {} : { usage: reply.usage }),
      },
      { surfaceOp: 'append', sourceEventSeqs: reply.chunks },
    ).data

  let message: AssistantMessage
  try {
    const asked = bus.waterfall('agent/step-result', agent, turn.number, turn.step, proposed, async () => proposed)
    message = freezeJson(await settleWithin(asked, turn.signal, GRACE_MS))
  } catch (error) {
    if (error instanceof TurnStopped) keepVisible(driver, turn, request, reply)
    else append({ ...proposed, content: [] })
    throw error
  }
  const { provider, model } = message.provenance
  const changed = !jsonEqual(message.content, proposed.content)
  const { content } = append({
    role: 'assistant',
    content: uniqueCallIds(driver, cut ? withoutCalls(message.content) : message.content),
    // The adapter's own state describes what it sent; once a listener changed that, it no longer fits.
    provenance: changed ? { provider, model } : message.provenance,
  })
  return content.filter((block) => block.type === 'tool-call')
}
