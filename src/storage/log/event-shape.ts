// The outer shape of every event's data, for what comes from outside: stored rows, seeds and imports.
import { EVENT_TYPES, type EventType, type SessionEventData } from './events.ts'
import type { Chunk } from './model-call.ts'

type Kind = 'number' | 'string' | 'boolean' | 'object' | 'array' | 'json'
type Field = Kind | `${Kind}?`
type Shape<T> = { readonly [F in keyof T]-?: Field }

/** One line per event type and one word per field. The compiler keeps both complete. */
const DATA: { readonly [T in EventType]: Shape<SessionEventData[T]> } = {
  'turn/start': { turn: 'number', trigger: 'object' },
  'turn/end': { turn: 'number', reason: 'object' },
  'step/start': { turn: 'number', step: 'number' },
  'step/end': { turn: 'number', step: 'number' },
  'user/message': { id: 'string', content: 'array', source: 'object' },
  'prompt/blocked': { id: 'string', content: 'array', source: 'object', reason: 'string' },
  'context/message': { content: 'array', source: 'object', envelope: 'string?', meta: 'json?' },
  'steering/message': { id: 'string', turn: 'number', content: 'array', source: 'object' },
  'request/header': { header: 'object', reason: 'string' },
  'assistant/chunk': { turn: 'number', step: 'number', chunk: 'object' },
  'assistant/message': {
    turn: 'number',
    step: 'number',
    content: 'array',
    provenance: 'object',
    usage: 'object?',
    interrupted: 'boolean?',
  },
  'tool/call': { turn: 'number', step: 'number', callId: 'string', name: 'string', arguments: 'string' },
  'tool/result': {
    turn: 'number',
    step: 'number',
    callId: 'string',
    content: 'array',
    isError: 'boolean',
    error: 'object?',
    meta: 'json?',
  },
  'tool/late': { callId: 'string', isError: 'boolean' },
  'model/retry': { turn: 'number', step: 'number', attempt: 'number', delayMs: 'number', failure: 'object' },
  'question/asked': { callId: 'string', questions: 'array' },
  'question/answered': { callId: 'string', answers: 'json' },
  'approval/asked': { callId: 'string', action: 'object' },
  'approval/decided': { callId: 'string', decision: 'object' },
  'todo/write': { todos: 'array' },
  'task/started': { run: 'string', kind: 'string', prompt: 'array' },
  'task/noted': { run: 'string', name: 'string', data: 'json' },
  'task/ended': { run: 'string', result: 'object' },
  'compaction/start': { trigger: 'string', tokens: 'number' },
  'compaction/end': { outcome: 'string', detail: 'string?', usage: 'object?' },
  'artifact/saved': { name: 'string', version: 'number', blob: 'string', mediaType: 'string', callId: 'string?' },
  'files/snapshot': { tree: 'string', changed: 'array' },
  'session/title': { title: 'string', by: 'string' },
  'plugin/noted': { plugin: 'string', data: 'json' },
}

const CHUNK: { readonly [T in Chunk['type']]: Shape<Extract<Chunk, { readonly type: T }>> } = {
  'block-start': { type: 'string', index: 'number', blockType: 'string' },
  'text-delta': { type: 'string', index: 'number', text: 'string' },
  'reasoning-delta': { type: 'string', index: 'number', text: 'string' },
  'tool-call-delta': { type: 'string', index: 'number', id: 'string', name: 'string?', argumentsDelta: 'string' },
  'block-end': { type: 'string', index: 'number', block: 'object' },
  usage: { type: 'string', usage: 'object' },
  finish: { type: 'string', reason: 'object', rawReason: 'string?', inferred: 'boolean?', replayState: 'json?' },
}

const isKind = (value: unknown, kind: string): boolean => {
  if (kind === 'json') return value !== undefined
  if (kind === 'array') return Array.isArray(value)
  return typeof value === kind && value !== null && !Array.isArray(value)
}

const misfit = (value: object, shape: object): string | undefined => {
  const given = value as Readonly<Record<string, unknown>>
  for (const [field, word] of Object.entries(shape as Readonly<Record<string, Field>>)) {
    const optional = word.endsWith('?')
    if (optional && given[field] === undefined) continue
    if (!isKind(given[field], optional ? word.slice(0, -1) : word)) return field
  }
  return undefined
}

/** The name of the first field of an event's data that is missing or of a wrong kind; undefined when all is well. */
export const misfitOfEvent = (type: EventType, data: unknown): string | undefined => {
  if (!isKind(data, 'object')) return 'data'
  const field = misfit(data as object, DATA[type])
  if (field !== undefined || type !== 'assistant/chunk') return field
  const { chunk } = data as { readonly chunk: { readonly type?: unknown } }
  if (typeof chunk.type !== 'string' || !Object.hasOwn(CHUNK, chunk.type)) return 'chunk.type'
  const inner = misfit(chunk, CHUNK[chunk.type as Chunk['type']])
  return inner === undefined ? undefined : `chunk.${inner}`
}

/** The same for what an event on the surface says about its place, and for one that must say nothing. */
export const misfitOfPlace = (type: EventType, surfaceOp: unknown, sourceEventSeqs: unknown): string | undefined => {
  if (EVENT_TYPES[type] === 'plain') return surfaceOp === undefined && sourceEventSeqs === undefined ? undefined : 'surfaceOp'
  if (surfaceOp !== 'append') {
    if (!isKind(surfaceOp, 'object')) return 'surfaceOp'
    const { op, start, end } = surfaceOp as { readonly op?: unknown; readonly start?: unknown; readonly end?: unknown }
    if (op !== 'replace' || !Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return 'surfaceOp'
  }
  if (sourceEventSeqs === undefined) return undefined
  return Array.isArray(sourceEventSeqs) && sourceEventSeqs.every(Number.isSafeInteger) ? undefined : 'sourceEventSeqs'
}
