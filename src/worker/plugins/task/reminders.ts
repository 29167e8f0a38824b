// Puts the run's words in front of the model, and takes those off the surface that an earlier run left at the end.
import type { EventOf, SessionEvent, SurfaceEvent } from '../../../storage/log/events.ts'
import { isSurfaceEvent } from '../../../storage/log/events.ts'
import type { Agent, Session } from '../../hooks/agent.ts'
import { wrapped } from './texts.ts'

export const SOURCE = { kind: 'plugin', plugin: 'task' } as const

/** Into the open turn, at once. */
export const remind = (agent: Agent, text: string): void => agent.inject(wrapped(text), { source: SOURCE, envelope: 'raw' })

const isReminder = ({ data: { source, envelope } }: EventOf<'context/message'>): boolean =>
  source.kind === 'plugin' && source.plugin === SOURCE.plugin && envelope === 'raw'

/** Where a replacing event stands: in the place of the first one that it hides. */
const placeOf = (events: readonly SessionEvent[], event: SurfaceEvent): number => {
  let at: SurfaceEvent = event
  while (at.surfaceOp !== 'append') {
    const first = events[at.surfaceOp.start]
    if (first === undefined || !isSurfaceEvent(first)) break
    at = first
  }
  return at.seq
}

/** From the last node of the surface backwards; reads no further than it is asked. */
function* fromTheEnd(events: readonly SessionEvent[]): Generator<SurfaceEvent> {
  const hidden = new Set<number>()
  const replacing = new Map<number, SurfaceEvent>()
  for (let seq = events.length - 1; seq >= 0; seq--) {
    const event = events[seq]
    if (event !== undefined && isSurfaceEvent(event) && event.surfaceOp !== 'append') {
      if (!hidden.has(seq)) replacing.set(placeOf(events, event), event)
      for (const source of event.sourceEventSeqs ?? []) hidden.add(source)
    }
    const placed = replacing.get(seq)
    if (placed !== undefined) yield placed
    else if (event !== undefined && isSurfaceEvent(event) && event.surfaceOp === 'append' && !hidden.has(seq)) yield event
  }
}

/** Must be called with a turn open. Nothing when none is left. */
export const takeOffLeftOver = (session: Session): void => {
  const nodes: SurfaceEvent[] = []
  let found = false
  for (const node of fromTheEnd(session.events)) {
    if (node.type !== 'context/message') break
    const isEmpty = node.data.content.length === 0
    if (!isEmpty && !isReminder(node)) break
    nodes.unshift(node)
    found ||= !isEmpty
  }
  const first = nodes[0]
  const last = nodes.at(-1)
  if (!found || first === undefined || last === undefined) return
  session.append(
    'context/message',
    { content: [], source: SOURCE, envelope: 'raw' },
    { surfaceOp: { op: 'replace', start: first.seq, end: last.seq }, sourceEventSeqs: nodes.map(({ seq }) => seq) },
  )
}
