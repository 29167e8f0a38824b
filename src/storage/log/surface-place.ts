// What an appended event may say about its place on the surface, and about the events that it comes from.
import { SideloopError } from './errors.ts'
import { misfitOfPlace } from './event-shape.ts'
import { EVENT_TYPES, type EventType, type SessionEvent, type SurfaceEvent, type SurfacePlace } from './events.ts'
import { freezeJson } from './lossless-json.ts'

const invalid = (message: string): never => {
  throw new SideloopError('session/invalid', message)
}

const explain = (type: EventType, field: string): string => {
  if (EVENT_TYPES[type] === 'plain') return `${type} is not on the surface: it takes neither surfaceOp nor sourceEventSeqs`
  if (field === 'surfaceOp') return `${type} is seen by the model: it needs the surfaceOp 'append' or { op: 'replace', start, end }`
  return `The sourceEventSeqs of ${type} must be a list of seqs`
}

/** Required on the five surface types, forbidden elsewhere; reads it once. Errors: `session/invalid`. */
export const readPlace = (type: EventType, given: SurfacePlace | undefined): SurfacePlace | undefined => {
  if (given === undefined && EVENT_TYPES[type] === 'plain') return undefined
  const { surfaceOp, sourceEventSeqs, ...rest } = { ...given }
  const unknown = Object.keys(rest)[0]
  if (unknown !== undefined) invalid(`An event's place is surfaceOp and sourceEventSeqs; "${unknown}" is neither`)
  const field = misfitOfPlace(type, surfaceOp, sourceEventSeqs)
  if (field !== undefined || surfaceOp === undefined) return invalid(explain(type, field ?? 'surfaceOp'))
  return freezeJson({ surfaceOp, ...(sourceEventSeqs !== undefined && { sourceEventSeqs }) }, type)
}

/** Unique and earlier; empty only on an `assistant/message`. Errors: `session/invalid`. */
export const checkSources = ({ type, seq, sourceEventSeqs: seqs }: SurfaceEvent): void => {
  if (seqs === undefined) return
  if (seqs.length === 0 && type !== 'assistant/message') invalid(`The sourceEventSeqs of ${type} must not be empty`)
  let previous = -1
  let ascending = true
  for (const source of seqs) {
    if (!Number.isInteger(source) || source < 0 || source >= seq) invalid(`sourceEventSeqs must name earlier events; ${source} is none`)
    if (source <= previous) ascending = false
    previous = source
  }
  if (!ascending && new Set(seqs).size !== seqs.length) invalid('sourceEventSeqs must be unique')
}

/** A result that takes the place of others belongs to a call, and names it first. Errors: `session/invalid`. */
export const checkReplacedResult = (event: SurfaceEvent, earlier: readonly SessionEvent[]): void => {
  if (event.type !== 'tool/result' || event.surfaceOp === 'append') return
  const cited = earlier[event.sourceEventSeqs?.[0] ?? -1]
  if (cited?.type !== 'tool/call' || cited.data.callId !== event.data.callId)
    invalid(`A tool/result that replaces must cite the tool/call of ${event.data.callId} first`)
}
