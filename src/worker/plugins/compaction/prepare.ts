// The work of a compaction: a range is chosen, and the model writes what will stand for it. Nothing is changed yet.
import type { ContentBlock } from '../../../storage/log/content.ts'
import { estimateTokens } from '../../../storage/log/estimate-tokens.ts'
import { isSurfaceEvent, type SessionEvent, type SurfaceEvent } from '../../../storage/log/events.ts'
import type { Usage } from '../../../storage/log/model-call.ts'
import { createSurface } from '../../../storage/log/surface.ts'
import type { Session } from '../../hooks/agent.ts'
import { chooseCut } from './choose-cut.ts'
import { type SummaryPorts, summarise } from './summarise.ts'

export type Target = {
  readonly provider: string | undefined
  readonly model: string | undefined
  /** In tokens; undefined when nobody knows. */
  readonly contextWindow: number | undefined
}

/** How much of the newest part stays word for word: that share of the whole, but not more than so many tokens. */
export type Keep = { readonly keepShare: number; readonly keepTokens: number }

export type Prepared =
  | { readonly kind: 'summary'; readonly nodes: readonly SurfaceEvent[]; readonly text: string; readonly usage: Usage | undefined }
  | { readonly kind: 'unchanged' | 'failed'; readonly detail: string; readonly usage?: Usage | undefined }

/** Characters of conversation in the first request for a summary: surely within the window beside the answer, or a good deal. */
const limitFor = (contextWindow: number | undefined): number => (contextWindow === undefined ? 400_000 : Math.floor(contextWindow * 1.8))

/** The events that the model sees, in their order. Reads the whole log: for the rare moment. */
export const surfaceOf = (events: readonly SessionEvent[]): readonly SurfaceEvent[] => {
  const surface = createSurface()
  for (const event of events) if (isSurfaceEvent(event)) surface.place(surface.plan(event))
  return surface.seqs().map((seq) => events[seq] as SurfaceEvent)
}

export const contentTokens = (content: readonly ContentBlock[]): number => estimateTokens([{ role: 'user', content }])

const tokensOf = ({ data }: SurfaceEvent): number => contentTokens(data.content)

export const prepare = async (
  ports: SummaryPorts,
  session: Session,
  { provider, model, contextWindow }: Target,
  { keepShare, keepTokens }: Keep,
  signal: AbortSignal,
): Promise<Prepared> => {
  if (provider === undefined || model === undefined)
    return { kind: 'failed', detail: 'No provider and model are set to write the summary.' }
  const surface = surfaceOf(session.events)
  const whole = surface.reduce((sum, node) => sum + tokensOf(node), 0)
  const cut = chooseCut(surface, { tokensOf, keepTokens: Math.min(keepTokens, whole * keepShare) })
  if (cut === undefined) return { kind: 'unchanged', detail: 'Nothing is old enough to be summed up.' }
  const nodes = surface.slice(cut.from, cut.to + 1)
  const order = { provider, model, sessionId: session.id, nodes, limit: limitFor(contextWindow) }
  const summary = await summarise(ports, order, signal)
  return summary.kind === 'summary' ? { ...summary, nodes } : summary
}
