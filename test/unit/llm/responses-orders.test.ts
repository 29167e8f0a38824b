// One reply of Responses told in many ways (W3, W4, W5): servers leave out events, numbers and ids, and tell the same twice. It is read as one.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import { responsesReader } from '../../../src/worker/llm/wire/openai-responses/read-reply.ts'

type Item =
  | { readonly kind: 'message' | 'reasoning'; readonly parts: readonly string[] }
  | { readonly kind: 'function_call'; readonly args: string }
type Event = { readonly [key: string]: unknown }

const words = fc.constantFrom('a', 'ab', 'aba', 'Hello, you.', 'b a b a ', '你好 👋')
const parts = fc.array(words, { minLength: 1, maxLength: 2 })
const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ kind: fc.constant('message' as const), parts }),
  fc.record({ kind: fc.constant('reasoning' as const), parts }),
  fc.record({ kind: fc.constant('function_call' as const), args: fc.constantFrom('{"a":1}', '{}', '{"a":{"b":"{}"}}') }),
)

const entryOf = (told: Item, index: number): Event => {
  if (told.kind === 'function_call') {
    return { id: `it_${index}`, type: told.kind, call_id: `call_${index}`, name: 'read', arguments: told.args }
  }
  return told.kind === 'message'
    ? { id: `it_${index}`, type: told.kind, role: 'assistant', content: told.parts.map((text) => ({ type: 'output_text', text })) }
    : { id: `it_${index}`, type: told.kind, summary: told.parts.map((text) => ({ type: 'summary_text', text })) }
}
const emptyOf = (entry: Event): Event => ({
  ...entry,
  ...('content' in entry ? { content: [] } : 'summary' in entry ? { summary: [] } : { arguments: '' }),
})

type Way = { readonly start: boolean; readonly pieces: boolean; readonly whole: boolean; readonly done: boolean }
/** What is left of the events of one item. `start` without `done` must keep its pieces or its parts, and the name of a call. */
const ways: fc.Arbitrary<Way> = fc.constantFrom(
  { start: true, pieces: true, whole: true, done: true },
  { start: true, pieces: true, whole: true, done: false },
  { start: true, pieces: true, whole: false, done: false },
  { start: true, pieces: false, whole: true, done: false },
  { start: false, pieces: true, whole: true, done: true },
  { start: false, pieces: false, whole: true, done: true },
  { start: false, pieces: false, whole: false, done: true },
  { start: true, pieces: false, whole: false, done: true },
)

const eventsOf = (told: Item, index: number, way: Way): readonly Event[] => {
  const entry = entryOf(told, index)
  const about = { item_id: `it_${index}`, output_index: index }
  const [name, texts] =
    told.kind === 'function_call'
      ? ['response.function_call_arguments', [told.args]]
      : [told.kind === 'message' ? 'response.output_text' : 'response.reasoning_summary_text', told.parts]
  const field = told.kind === 'function_call' ? 'arguments' : 'text'
  return [
    ...(way.start ? [{ type: 'response.output_item.added', output_index: index, item: emptyOf(entry) }] : []),
    ...texts.flatMap((text, part) => {
      const place = told.kind === 'function_call' ? {} : told.kind === 'message' ? { content_index: part } : { summary_index: part }
      const pieces = [text.slice(0, 1), text.slice(1)].map((delta) => ({ type: `${name}.delta`, ...about, ...place, delta }))
      return [...(way.pieces ? pieces : []), ...(way.whole ? [{ type: `${name}.done`, ...about, ...place, [field]: text }] : [])]
    }),
    ...(way.done ? [{ type: 'response.output_item.done', output_index: index, item: entry }] : []),
  ]
}

const without = (event: Event, ...keys: readonly string[]): Event =>
  Object.fromEntries(Object.entries(event).filter(([key]) => !keys.includes(key)))
let turns = 0
const withId = (event: Event, id: (held: string) => string): Event => ({
  ...event,
  ...(typeof event.item_id === 'string' ? { item_id: id(event.item_id) } : {}),
  ...(typeof event.item === 'object' ? { item: { ...event.item, id: id(String((event.item as Event).id)) } } : {}),
})

/** How servers number and name what they tell of. In the last two only an item's end parts it from the next of its kind. */
const NUMBERING: Readonly<Record<string, (event: Event) => Event>> = {
  'as OpenAI does': (event) => event,
  'no index': (event) => without(event, 'output_index'),
  'another id each time': (event) => withId(event, (id) => `${id}_${turns++}`),
  'one id for all': (event) => withId(event, () => 'it'),
  'no id on what tells of a part': (event) => without(event, 'item_id'),
  'one index for all': (event) => ('output_index' in event ? { ...event, output_index: 0 } : event),
  'neither on what tells of a part': (event) => ('item_id' in event ? without(event, 'item_id', 'output_index') : event),
}

const read = (events: readonly Event[]) => {
  const chunks: Chunk[] = []
  const reader = responsesReader({ newId: () => 'made' }, (chunk) => chunks.push(chunk))
  reader.push(new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')))
  reader.end()
  const joined = (type: 'text-delta' | 'reasoning-delta') => chunks.map((chunk) => (chunk.type === type ? chunk.text : '')).join('')
  const calls = chunks.flatMap((chunk) =>
    chunk.type === 'block-end' && chunk.block.type === 'tool-call' ? [[chunk.block.id, chunk.block.name, chunk.block.arguments]] : [],
  )
  return { text: joined('text-delta'), reasoning: joined('reasoning-delta'), calls }
}
const meant = (items: readonly Item[]) => ({
  text: items.flatMap((told) => (told.kind === 'message' ? told.parts : [])).join(''),
  reasoning: items.flatMap((told) => (told.kind === 'reasoning' ? told.parts : [])).join(''),
  calls: items.flatMap((told, index) => (told.kind === 'function_call' ? [[`call_${index}`, 'read', told.args]] : [])),
})
const completed = (output: readonly Event[]): Event => ({ type: 'response.completed', response: { status: 'completed', output } })

describe('a reply that is told in many ways', () => {
  test.each(Object.keys(NUMBERING))('W4 with %s, whatever events are left out, each word and each call is there once', (name) => {
    const numbered = NUMBERING[name]!
    const needsEnds = Object.keys(NUMBERING).slice(-2).includes(name)
    fc.assert(
      fc.property(fc.array(fc.tuple(item, ways), { minLength: 1, maxLength: 4 }), fc.boolean(), (told, repeats) => {
        const items = told.map(([one]) => one)
        const events = told.flatMap(([one, way], index) => eventsOf(one, index, needsEnds ? { ...way, done: true } : way)).map(numbered)
        const output = repeats ? items.map((one, index) => numbered({ item: entryOf(one, index) }).item as Event) : []
        expect(read([...events, completed(output)])).toEqual(meant(items))
      }),
      { numRuns: 300 },
    )
  })

  test('W4 events of several items that alternate are each written to their own', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(item, ways), { minLength: 2, maxLength: 3 }), fc.infiniteStream(fc.nat(2)), (told, order) => {
        const queues = told.map(([one, way], index) => [...eventsOf(one, index, way)])
        const events: Event[] = []
        for (const pick of order) {
          const left = queues.filter((queue) => queue.length > 0)
          if (left.length === 0) break
          events.push(left[pick % left.length]!.shift()!)
        }
        const { text, reasoning, calls } = read([...events, completed([])])
        const wanted = meant(told.map(([one]) => one))
        expect([...calls].sort()).toEqual([...wanted.calls].sort())
        expect([[...text].sort(), [...reasoning].sort()]).toEqual([[...wanted.text].sort(), [...wanted.reasoning].sort()])
      }),
      { numRuns: 300 },
    )
  })
})
