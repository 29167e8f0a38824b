// Turns a finished reply into the one assistant message of its step: listeners have their say, cut calls go, ids become unique.
import type { AssistantMessage, ContentBlock, Provenance, ToolCallBlock } from '../../storage/log/content.ts'
import { freezeJson, jsonEqual } from '../../storage/log/lossless-json.ts'
import type { LlmRequest } from '../hooks/llm.ts'
import type { Reply } from './collect-reply.ts'
import { holdContexts } from './contexts.ts'
import type { Driver, Turn } from './driver.ts'
import { keepVisible } from './keep-visible.ts'
import { readContent } from './read-input.ts'
import { GRACE_MS, settleWithin, TurnStopped } from './stop.ts'

const withoutCalls = (content: readonly ContentBlock[]): readonly ContentBlock[] => content.filter((block) => block.type !== 'tool-call')

/** A call id is used once in a session; a vendor that counts from one again gets its id kept beside ours. */
const uniqueCallIds = ({ log, newId }: Driver, content: readonly ContentBlock[]): readonly ContentBlock[] => {
  const here = new Set<string>()
  return content.map((block) => {
    if (block.type !== 'tool-call') return block
    const taken = block.id === '' || here.has(block.id) || log.callSeq(block.id) !== undefined
    const unique: ToolCallBlock = taken
      ? { ...block, id: newId(), ...(block.id === '' ? {} : { vendorId: block.vendorId ?? block.id }) }
      : block
    here.add(unique.id)
    return unique
  })
}

/** Gives the calls to run. A throwing listener still leaves an empty message as an anchor. */
export const commitReply = async (driver: Driver, turn: Turn, request: LlmRequest, reply: Reply): Promise<readonly ToolCallBlock[]> => {
  const { agent, bus, log } = driver
  const { provider, model } = request
  const bare: Provenance = { provider, model }
  const full: Provenance = reply.replayState === undefined ? bare : { ...bare, replayState: reply.replayState }
  const cut = reply.finish.kind === 'max-tokens'
  const proposed: AssistantMessage = freezeJson({
    role: 'assistant',
    content: cut ? withoutCalls(reply.content) : reply.content,
    provenance: full,
  })
  const append = (content: readonly ContentBlock[], provenance: Provenance): readonly ContentBlock[] =>
    log.append(
      'assistant/message',
      { turn: turn.number, step: turn.step, content, provenance, ...(reply.usage === undefined ? {} : { usage: reply.usage }) },
      { surfaceOp: 'append', sourceEventSeqs: reply.chunks },
    ).data.content

  let chosen: readonly ContentBlock[]
  try {
    const asked = bus.waterfall('agent/step-result', agent, turn.number, turn.step, proposed, async () => proposed)
    chosen = readContent((await settleWithin(asked, turn.signal, GRACE_MS)).content, 'content from agent/step-result')
  } catch (error) {
    if (error instanceof TurnStopped) keepVisible(driver, turn, request, reply)
    else append([], bare)
    throw error
  }
  // The adapter's own state describes what it sent; once a listener changed that, it no longer fits.
  const provenance = jsonEqual(chosen, proposed.content) ? full : bare
  const content = append(uniqueCallIds(driver, cut ? withoutCalls(chosen) : chosen), provenance)
  const calls = content.filter((block) => block.type === 'tool-call')
  if (calls.length > 0) holdContexts(driver) // what is injected in the moment before they run must not part them from their results
  return calls
}
