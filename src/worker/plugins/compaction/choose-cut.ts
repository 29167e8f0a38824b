// Which range of the surface a summary may stand for. Pure: it never splits a call from its result, never takes the open request, and
// leaves what the model has not answered yet.
import type { CallId } from '../../../storage/log/content.ts'
import type { SurfaceEvent } from '../../../storage/log/events.ts'

/** Positions on the surface, inclusive. */
export type Cut = { readonly from: number; readonly to: number }

export type CutOptions = {
  readonly tokensOf: (node: SurfaceEvent) => number
  /** The newest part of about this many tokens stays word for word. */
  readonly keepTokens: number
}

/** Made by this plugin, and seen by the model: what an earlier compaction left. */
export const isSummary = (node: SurfaceEvent): boolean =>
  node.type === 'context/message' &&
  node.data.source.kind === 'plugin' &&
  node.data.source.plugin === 'compaction' &&
  node.data.content.length > 0

/** Undefined: nothing is old enough, or all that is old is a summary already. */
export const chooseCut = (nodes: readonly SurfaceEvent[], options: CutOptions): Cut | undefined => {
  const before = startOfTail(nodes, options)
  const isEdge = edgesOf(nodes)
  const kept = openRequest(nodes)
  let best: (Cut & { readonly tokens: number }) | undefined
  let from = 0
  for (let i = 0; i <= before; i++) {
    if (i < before && !kept.has(i)) continue
    const cut = within(isEdge, from, i)
    from = i + 1
    if (cut === undefined || !hasNews(nodes, cut)) continue
    const tokens = sum(nodes, cut, options)
    if (best === undefined || tokens > best.tokens) best = { ...cut, tokens }
  }
  return best && { from: best.from, to: best.to }
}

/** The widest range between two positions (the end exclusive) that begins and ends at an edge. */
const within = (isEdge: readonly boolean[], start: number, end: number): Cut | undefined => {
  let from = start
  let to = end
  while (from < to && !isEdge[from]) from++
  while (to > from && !isEdge[to]) to--
  return from < to ? { from, to: to - 1 } : undefined
}

/** A lone summary would be summed up once more, for nothing. */
const hasNews = (nodes: readonly SurfaceEvent[], { from, to }: Cut): boolean => nodes.slice(from, to + 1).some((node) => !isSummary(node))

const sum = (nodes: readonly SurfaceEvent[], { from, to }: Cut, { tokensOf }: CutOptions): number =>
  nodes.slice(from, to + 1).reduce((tokens, node) => tokens + tokensOf(node), 0)

const callsOf = (node: SurfaceEvent): readonly CallId[] => {
  if (node.type === 'tool/result') return [node.data.callId]
  if (node.type !== 'assistant/message') return []
  return node.data.content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))
}

/**
 * `edges[i]`: may a range begin at node i, or end before it? Not between the nodes that speak of one call, and not behind a call whose
 * result is still to come: it would find its call gone.
 */
const edgesOf = (nodes: readonly SurfaceEvent[]): readonly boolean[] => {
  const last = new Map<CallId, number>()
  const answered = new Set<CallId>()
  nodes.forEach((node, i) => {
    for (const id of callsOf(node)) last.set(id, i)
    if (node.type === 'tool/result') answered.add(node.data.callId)
  })
  const edges: boolean[] = []
  let bound = -1
  for (let i = 0; i <= nodes.length; i++) {
    edges.push(bound < i)
    const node = nodes[i]
    if (node === undefined) break
    for (const id of callsOf(node)) bound = Math.max(bound, answered.has(id) ? last.get(id)! : nodes.length)
  }
  return edges
}

/** Of one asking: prompts, and the contexts that came with them. */
const isAsked = (node: SurfaceEvent | undefined): boolean =>
  node?.type === 'user/message' || (node?.type === 'context/message' && !isSummary(node))

/** What the person asked for last, and what they said since: the newest prompts, which stand together, and the steering after them. */
const openRequest = (nodes: readonly SurfaceEvent[]): ReadonlySet<number> => {
  const open = new Set<number>()
  const last = nodes.findLastIndex(({ type }) => type === 'user/message')
  for (let i = last; i >= 0 && isAsked(nodes[i]); i--) if (nodes[i]?.type === 'user/message') open.add(i)
  for (let i = last + 1; i < nodes.length; i++) if (nodes[i]?.type === 'steering/message') open.add(i)
  return open
}

/** What stands behind the last reply has not been read by the model; before it, as much as may be kept. */
const startOfTail = (nodes: readonly SurfaceEvent[], { tokensOf, keepTokens }: CutOptions): number => {
  let start = nodes.findLastIndex(({ type }) => type === 'assistant/message') + 1
  let tokens = 0
  for (let i = nodes.length - 1; i >= 0; i--) {
    tokens += tokensOf(nodes[i]!)
    if (tokens > keepTokens) break
    start = Math.min(start, i)
  }
  return start
}
