// Packs runs of deltas of one block into one row, and back, without loss: the logical log is the same before and after.
import type { CallId } from './content.ts'
import { SideloopError } from './errors.ts'
import type { EventOf, SessionEvent } from './events.ts'
import { markFrozen } from './lossless-json.ts'
import type { Chunk } from './model-call.ts'

type DeltaType = 'text-delta' | 'reasoning-delta' | 'tool-call-delta'
type Delta = Extract<Chunk, { readonly type: DeltaType }>
type ChunkEvent = EventOf<'assistant/chunk'>

/** Three or more deltas of one block with seqs in a row: what they share once, and their pieces. */
export type DeltaRun = {
  readonly run: DeltaType
  /** Of the first delta; the others count on from it. */
  readonly seq: number
  /** Of the first delta, in epoch milliseconds. */
  readonly time: number
  readonly turn: number
  readonly step: number
  readonly index: number
  /** Tool calls only. */
  readonly id?: CallId
  readonly name?: string
  readonly pieces: readonly string[]
  /** Milliseconds from each delta to the next: one fewer than pieces. */
  readonly gaps: readonly number[]
}
export type PackedEvent = SessionEvent | DeltaRun

const SHORTEST_RUN = 3

/** Anything but exactly these keys is stored as it is: a run has no place for more. */
const hasOnly = (value: object, keys: number): boolean => Object.keys(value).length === keys

const deltaOf = (event: SessionEvent): Delta | undefined => {
  if (event.type !== 'assistant/chunk' || !Number.isSafeInteger(event.time) || !hasOnly(event, 4) || !hasOnly(event.data, 3))
    return undefined
  const { chunk } = event.data
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return hasOnly(chunk, 3) ? chunk : undefined
    case 'tool-call-delta':
      return hasOnly(chunk, chunk.name === undefined ? 4 : 5) ? chunk : undefined
    default:
      return undefined
  }
}

const joins = (first: ChunkEvent, run: Delta, event: ChunkEvent, delta: Delta): boolean =>
  delta.type === run.type &&
  delta.index === run.index &&
  event.data.step === first.data.step &&
  event.data.turn === first.data.turn &&
  (delta.type !== 'tool-call-delta' || (run.type === 'tool-call-delta' && delta.id === run.id && delta.name === run.name))

const pieceOf = (delta: Delta): string => (delta.type === 'tool-call-delta' ? delta.argumentsDelta : delta.text)

/** The end (exclusive) of the run that begins at `start`. */
const endOfRun = (events: readonly SessionEvent[], start: number, delta: Delta): number => {
  const first = events[start] as ChunkEvent
  let end = start + 1
  for (; end < events.length; end++) {
    const event = events[end]!
    const next = deltaOf(event)
    if (next === undefined || event.seq !== first.seq + (end - start) || !joins(first, delta, event as ChunkEvent, next)) break
  }
  return end
}

const packRun = (events: readonly SessionEvent[], start: number, end: number, delta: Delta): DeltaRun => {
  const first = events[start] as ChunkEvent
  const pieces: string[] = []
  const gaps: number[] = []
  for (let i = start; i < end; i++) {
    const event = events[i] as ChunkEvent
    pieces.push(pieceOf(event.data.chunk as Delta))
    if (i > start) gaps.push(event.time - events[i - 1]!.time)
  }
  const { turn, step } = first.data
  const common = { run: delta.type, seq: first.seq, time: first.time, turn, step, index: delta.index }
  if (delta.type !== 'tool-call-delta') return { ...common, pieces, gaps }
  return { ...common, id: delta.id, ...(delta.name !== undefined && { name: delta.name }), pieces, gaps }
}

export const packEvents = (events: readonly SessionEvent[]): readonly PackedEvent[] => {
  const packed: PackedEvent[] = []
  let at = 0
  while (at < events.length) {
    const event = events[at]!
    const delta = deltaOf(event)
    const end = delta === undefined ? at + 1 : endOfRun(events, at, delta)
    if (delta !== undefined && end - at >= SHORTEST_RUN) packed.push(packRun(events, at, end, delta))
    else for (let i = at; i < end; i++) packed.push(events[i]!)
    at = end
  }
  return packed
}

const chunkOf = (run: DeltaRun, piece: string): Delta => {
  const { run: type, index } = run
  if (type !== 'tool-call-delta') return { type, index, text: piece }
  return { type, index, id: run.id ?? '', ...(run.name !== undefined && { name: run.name }), argumentsDelta: piece }
}

/** The events of a run, frozen all the way down. */
export const unpackRun = (run: DeltaRun): readonly SessionEvent[] => {
  const { turn, step } = run
  let time = run.time
  return run.pieces.map((piece, i) => {
    if (i > 0) time += run.gaps[i - 1]!
    const data = markFrozen({ turn, step, chunk: markFrozen(chunkOf(run, piece)) })
    return markFrozen({ type: 'assistant/chunk', seq: run.seq + i, time, data })
  })
}

export const isDeltaRun = (item: unknown): item is DeltaRun =>
  typeof item === 'object' && item !== null && 'run' in item && !('type' in item)

const isListOf = (value: unknown, type: 'string' | 'number'): value is readonly unknown[] =>
  Array.isArray(value) && value.every((item) => typeof item === type)

/** A run that came from outside. Errors: `session/invalid`. */
export const checkRun = (run: DeltaRun): DeltaRun => {
  const isCall = run.run === 'tool-call-delta'
  const numbers = [run.seq, run.time, run.turn, run.step, run.index].every(Number.isSafeInteger)
  const lists = isListOf(run.pieces, 'string') && isListOf(run.gaps, 'number') && run.gaps.length === run.pieces.length - 1
  const call = isCall ? typeof run.id === 'string' && (run.name === undefined || typeof run.name === 'string') : true
  if (numbers && lists && call && (isCall || run.run === 'text-delta' || run.run === 'reasoning-delta')) return run
  throw new SideloopError('session/invalid', `This session cannot be read: the packed deltas at ${String(run.seq)} are damaged.`)
}

/** What was packed, as it was. Errors: `session/invalid` for a damaged run. */
export const unpackEvents = (packed: Iterable<PackedEvent>): readonly SessionEvent[] => {
  const events: SessionEvent[] = []
  for (const item of packed) {
    if (isDeltaRun(item)) events.push(...unpackRun(checkRun(item)))
    else events.push(item)
  }
  return events
}
