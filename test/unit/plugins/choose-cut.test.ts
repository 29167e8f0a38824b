// L80: which range a summary may take the place of, for any log whatever.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ContentBlock } from '../../../src/storage/log/content.ts'
import type { SurfaceEvent } from '../../../src/storage/log/events.ts'
import { createSessionLog, type SessionLog } from '../../../src/storage/log/session-log.ts'
import { type Cut, chooseCut, isSummary } from '../../../src/worker/plugins/compaction/choose-cut.ts'
import { contentTokens, surfaceOf } from '../../../src/worker/plugins/compaction/prepare.ts'
import { misplacedCalls } from '../../kit/check-log.ts'

const words = (text: string): readonly ContentBlock[] => [{ type: 'text', text }]
const USER = { kind: 'user' } as const
const summary = { content: words('sum'), source: { kind: 'plugin', plugin: 'compaction' }, envelope: 'raw' } as const

/** What may happen in a log, in a word each. `call` has so many calls, of which all or none are answered. */
type Happening =
  | { readonly kind: 'ask' | 'say' | 'steer' | 'note' | 'summary'; readonly size: number }
  | { readonly kind: 'call'; readonly calls: number; readonly answered: boolean; readonly between: boolean; readonly size: number }

const newLog = (): SessionLog => createSessionLog({ header: { version: 1, id: 's', createdAt: 0 }, now: () => 0 })
const onTop = { surfaceOp: 'append' } as const

const happen = (log: SessionLog, event: Happening): void => {
  const content = words('x'.repeat(event.size))
  const id = `m${log.length}`
  const provenance = { provider: 'p', model: 'm' }
  switch (event.kind) {
    case 'ask':
      log.append('user/message', { id, content, source: USER }, onTop)
      return
    case 'say':
      log.append('assistant/message', { turn: 1, step: 1, content, provenance }, onTop)
      return
    case 'steer':
      log.append('steering/message', { id, turn: 1, content, source: USER }, onTop)
      return
    case 'note':
      log.append('context/message', { content, source: USER }, onTop)
      return
    case 'summary':
      log.append('context/message', summary, onTop)
      return
    case 'call': {
      const ids = Array.from({ length: event.calls }, (_, i) => `c${log.length}-${i}`)
      const calls = ids.map((callId): ContentBlock => ({ type: 'tool-call', id: callId, name: 't', arguments: '{}' }))
      log.append('assistant/message', { turn: 1, step: 1, content: calls, provenance }, onTop)
      for (const callId of event.answered ? ids : []) {
        const { seq } = log.append('tool/call', { turn: 1, step: 1, callId, name: 't', arguments: '{}' })
        if (event.between) log.append('context/message', { content, source: USER }, onTop)
        log.append('tool/result', { turn: 1, step: 1, callId, content, isError: false }, { ...onTop, sourceEventSeqs: [seq] })
      }
    }
  }
}

const size = fc.integer({ min: 1, max: 400 })
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('ask', 'say', 'steer', 'note', 'summary'), size }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      calls: fc.integer({ min: 1, max: 3 }),
      answered: fc.boolean(),
      between: fc.boolean(),
      size,
    }),
  },
)
const logs = fc.array(happening, { maxLength: 40 }).map((events) => {
  const log = newLog()
  for (const event of events) happen(log, event)
  return log
})

const tokensOf = (node: SurfaceEvent): number => contentTokens(node.data.content)
const cutOf = (log: SessionLog, keepTokens: number): { readonly nodes: readonly SurfaceEvent[]; readonly cut: Cut | undefined } => {
  const nodes = surfaceOf(log.events())
  return { nodes, cut: chooseCut(nodes, { tokensOf, keepTokens }) }
}
const callsOf = (node: SurfaceEvent): readonly string[] =>
  node.type === 'tool/result'
    ? [node.data.callId]
    : node.type === 'assistant/message'
      ? node.data.content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))
      : []

const keep = fc.integer({ min: 0, max: 2_000 })

describe('L80 the cut, for any log', () => {
  const always = (check: (nodes: readonly SurfaceEvent[], cut: Cut, log: SessionLog) => void): void => {
    let found = 0
    fc.assert(
      fc.property(logs, keep, (log, keepTokens) => {
        const { nodes, cut } = cutOf(log, keepTokens)
        if (cut === undefined) return
        found++
        check(nodes, cut, log)
      }),
      { numRuns: 300 },
    )
    expect(found).toBeGreaterThan(30)
  }
  const isIn = ({ from, to }: Cut, i: number): boolean => i >= from && i <= to

  test('L80 never splits a call from its result, and never hides a call whose result is still to come', () => {
    always((nodes, cut) => {
      const inside = new Set<string>()
      const outside = new Set<string>()
      const answered = new Set(nodes.flatMap((node) => (node.type === 'tool/result' ? [node.data.callId] : [])))
      nodes.forEach((node, i) => {
        for (const id of callsOf(node)) (isIn(cut, i) ? inside : outside).add(id)
      })
      expect([...inside].filter((id) => outside.has(id))).toEqual([])
      expect([...inside].filter((id) => !answered.has(id))).toEqual([])
    })
  })

  test('L80 keeps the open request: the newest prompt, and the steering after it', () => {
    always((nodes, cut) => {
      const last = nodes.findLastIndex(({ type }) => type === 'user/message')
      nodes.forEach((node, i) => {
        if (i === last || (i > last && node.type === 'steering/message')) expect(isIn(cut, i)).toBe(false)
      })
    })
  })

  test('L80 keeps what the model has not answered yet', () => {
    always((nodes, cut) => expect(cut.to).toBeLessThanOrEqual(nodes.findLastIndex(({ type }) => type === 'assistant/message')))
  })

  test('L80 keeps the newest part up to its size, and sums up more than summaries', () => {
    fc.assert(
      fc.property(logs, keep, (log, keepTokens) => {
        const { nodes, cut } = cutOf(log, keepTokens)
        if (cut === undefined) return
        const behind = nodes.slice(cut.to + 1).reduce((sum, node) => sum + tokensOf(node), 0)
        expect(behind + tokensOf(nodes[cut.to]!)).toBeGreaterThan(keepTokens)
        expect(nodes.slice(cut.from, cut.to + 1).some((node) => !isSummary(node))).toBe(true)
      }),
    )
  })

  test('L80 is accepted by the log as a replacement, after which every call has the results that it had before', () => {
    always((nodes, { from, to }, log) => {
      const before = misplacedCalls(log.deriveMessages())
      const hidden = nodes.slice(from, to + 1)
      log.append('context/message', summary, {
        surfaceOp: { op: 'replace', start: hidden[0]!.seq, end: hidden.at(-1)!.seq },
        sourceEventSeqs: hidden.map(({ seq }) => seq),
      })
      const after = misplacedCalls(log.deriveMessages())
      expect(after.filter((problem) => !before.includes(problem))).toEqual([])
    })
  })
})

describe('L80 the cut, by example', () => {
  const cut = (keepTokens: number, ...happenings: readonly Happening[]): Cut | undefined => {
    const log = newLog()
    for (const each of happenings) happen(log, each)
    return cutOf(log, keepTokens).cut
  }
  const ask: Happening = { kind: 'ask', size: 40 }
  const say: Happening = { kind: 'say', size: 40 }
  const work: Happening = { kind: 'call', calls: 1, answered: true, between: false, size: 400 }

  test('a chat: all that came before the open request', () => {
    expect(cut(0, ask, say, ask, say, ask)).toEqual({ from: 0, to: 3 })
  })
  test('a chat with a tail that may stay: what is older', () => {
    expect(cut(30, ask, say, ask, say, ask)).toEqual({ from: 0, to: 2 })
  })
  test('one long piece of work: what lies between the request and the last results', () => {
    expect(cut(0, ask, work, work, work)).toEqual({ from: 1, to: 4 })
  })
  test('of what lies before and behind the request, the larger part', () => {
    expect(cut(0, ask, say, ask, work, work, work)).toEqual({ from: 3, to: 6 })
    expect(cut(0, ask, work, work, ask, say, say)).toEqual({ from: 0, to: 4 })
  })
  test('an earlier summary goes into the new one', () => {
    expect(cut(0, { kind: 'summary', size: 3 }, ask, say, ask)).toEqual({ from: 0, to: 2 })
  })
  test('a request whose work was summed up is no longer open', () => {
    expect(cut(0, ask, { kind: 'summary', size: 3 }, ask, say)).toEqual({ from: 0, to: 1 })
  })
  test('prompts that came together stay together, with the contexts between them', () => {
    expect(cut(0, ask, say, ask, { kind: 'note', size: 9 }, ask)).toEqual({ from: 0, to: 1 })
  })
  test('nothing: an empty log, a first request, a lone summary before the request', () => {
    expect(cut(0)).toBeUndefined()
    expect(cut(0, ask)).toBeUndefined()
    expect(cut(0, { kind: 'summary', size: 3 }, ask)).toBeUndefined()
    expect(cut(1e9, ask, work, work, say, ask)).toBeUndefined()
  })
})
