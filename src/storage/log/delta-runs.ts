// Packs runs of deltas of one block into one row, and back, without loss: the logical log is the same before and after.
import type { CallId } from './content.ts'
import { SideloopError } from './errors.ts'
import type { EventOf, SessionEvent } from './events.ts'
import type { Chunk } from './model-call.ts'

type DeltaType = 'text-delta' | 'reasoning-delta' | 'tool-call-delta'
type Delta = Extract<Chunk, { readonly type: DeltaType }>
type ChunkEvent = EventOf<'assistant/chunk'>

/**
 * Three or more deltas of one block with seqs in a row: what they share once, and their pieces. Numbers are written as characters of
 * a string (32 + n), because the browser writes an array of numbers with up to nine bytes each, and such a string with one.
 */
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
  /** All pieces joined. A new string begins where one-byte and wider text meet: one wide character doubles the bytes of its string. */
  readonly text: readonly string[]
  /** One character per delta: the length of its piece. */
  readonly lengths: string
  /** One character per delta but the first: the milliseconds since the one before. */
  readonly gaps: string
}
export type PackedEvent = SessionEvent | DeltaRun

const SHORTEST_RUN = 3
const FIRST_CHARACTER = 32
/** Below the surrogates, which are no characters by themselves. */
const MOST = 0xd7ff - FIRST_CHARACTER

const encode = (count: number): string => String.fromCharCode(FIRST_CHARACTER + count)
const decode = (text: string, at: number): number => text.charCodeAt(at) - FIRST_CHARACTER
const canEncode = (count: number): boolean => Number.isSafeInteger(count) && count >= 0 && count <= MOST

const pieceOf = (delta: Delta): string => (delta.type === 'tool-call-delta' ? delta.argumentsDelta : delta.text)

/** Anything but exactly these keys is stored as it is: a run has no place for more. */
const hasOnly = (value: object, keys: number): boolean => Object.keys(value).length === keys

const deltaOf = (event: SessionEvent): Delta | undefined => {
  if (event.type !== 'assistant/chunk' || !Number.isSafeInteger(event.time) || !hasOnly(event, 4) || !hasOnly(event.data, 3))
    return undefined
  const { chunk } = event.data
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return hasOnly(chunk, 3) && canEncode(chunk.text.length) ? chunk : undefined
    case 'tool-call-delta':
      return hasOnly(chunk, chunk.name === undefined ? 4 : 5) && canEncode(chunk.argumentsDelta.length) ? chunk : undefined
    default:
      return undefined
  }
}

const isSameBlock = (a: ChunkEvent, first: Delta, b: ChunkEvent, delta: Delta): boolean =>
  delta.type === first.type &&
  delta.index === first.index &&
  a.data.step === b.data.step &&
  a.data.turn === b.data.turn &&
  (delta.type !== 'tool-call-delta' || (first.type === 'tool-call-delta' && delta.id === first.id && delta.name === first.name))

/** The end (exclusive) of the run that begins at `start`. */
const endOfRun = (events: readonly SessionEvent[], start: number, first: Delta): number => {
  let before = events[start] as ChunkEvent
  for (let end = start + 1; end < events.length; end++) {
    const event = events[end]!
    const delta = deltaOf(event)
    if (delta === undefined || event.seq !== before.seq + 1 || !canEncode(event.time - before.time)) return end
    if (!isSameBlock(before, first, event as ChunkEvent, delta)) return end
    before = event as ChunkEvent
  }
  return events.length
}

const isOneByte = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return false
  return true
}

const packRun = (events: readonly SessionEvent[], start: number, end: number, first: Delta): DeltaRun => {
  const event = events[start] as ChunkEvent
  const text: string[] = []
  let joined = ''
  let oneByte = true
  let lengths = ''
  let gaps = ''
  for (let i = start; i < end; i++) {
    const each = events[i] as ChunkEvent
    const piece = pieceOf(each.data.chunk as Delta)
    if (isOneByte(piece) !== oneByte) {
      if (joined !== '') text.push(joined)
      joined = ''
      oneByte = !oneByte
    }
    joined += piece
    lengths += encode(piece.length)
    if (i > start) gaps += encode(each.time - events[i - 1]!.time)
  }
  text.push(joined)
  const { turn, step } = event.data
  const call = first.type === 'tool-call-delta' && { id: first.id, ...(first.name !== undefined && { name: first.name }) }
  return { run: first.type, seq: event.seq, time: event.time, turn, step, index: first.index, ...call, text, lengths, gaps }
}

export const packEvents = (events: readonly SessionEvent[]): readonly PackedEvent[] => {
  const packed: PackedEvent[] = []
  for (let at = 0; at < events.length; ) {
    const delta = deltaOf(events[at]!)
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
  const { turn, step, lengths, gaps } = run
  const text = run.text.join('')
  const events: SessionEvent[] = []
  let { time } = run
  let at = 0
  for (let i = 0; i < lengths.length; i++) {
    if (i > 0) time += decode(gaps, i - 1)
    const piece = text.slice(at, at + decode(lengths, i))
    at += piece.length
    const data = Object.freeze({ turn, step, chunk: Object.freeze(chunkOf(run, piece)) })
    events.push(Object.freeze({ type: 'assistant/chunk', seq: run.seq + i, time, data }))
  }
  return events
}

/** The whole run as one delta, for folds to which it is the same how a text was cut. */
export const asOneDelta = (run: DeltaRun): SessionEvent => {
  const { seq, time, turn, step } = run
  return { type: 'assistant/chunk', seq, time, data: { turn, step, chunk: chunkOf(run, run.text.join('')) } }
}

export const isDeltaRun = (item: unknown): item is DeltaRun =>
  typeof item === 'object' && item !== null && 'run' in item && !('type' in item)

const isWhole = ({ text, lengths, gaps }: DeltaRun): boolean => {
  if (!Array.isArray(text) || typeof lengths !== 'string' || typeof gaps !== 'string') return false
  if (!text.every((part) => typeof part === 'string') || lengths.length === 0 || gaps.length !== lengths.length - 1) return false
  let rest = text.reduce((sum, part) => sum + part.length, 0)
  for (let i = 0; i < lengths.length; i++) rest -= decode(lengths, i)
  return rest === 0
}

/** A run that came from outside. Errors: `session/invalid`. */
export const checkRun = (run: DeltaRun): DeltaRun => {
  const numbers = [run.seq, run.time, run.turn, run.step, run.index].every(Number.isSafeInteger)
  const isCall = run.run === 'tool-call-delta'
  const kind = isCall
    ? typeof run.id === 'string' && (run.name === undefined || typeof run.name === 'string')
    : run.run === 'text-delta' || run.run === 'reasoning-delta'
  if (numbers && kind && isWhole(run)) return run
  throw new SideloopError('session/invalid', `This session cannot be read: the packed deltas at ${String(run.seq)} are damaged.`)
}

/** What was packed, as it was. Errors: `session/invalid` for a damaged run. */
export const unpackEvents = (packed: Iterable<PackedEvent>): readonly SessionEvent[] => {
  const events: SessionEvent[] = []
  for (const item of packed) {
    if (isDeltaRun(item)) for (const event of unpackRun(checkRun(item))) events.push(event)
    else events.push(item)
  }
  return events
}
