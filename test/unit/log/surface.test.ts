// Contract 1, the surface: what an append and a replacement do to the ordered list of events that the model sees.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SessionLog } from '../../../src/storage/log/session-log.ts'
import { newLog, user, words } from './new-log.ts'

const add = (log: SessionLog, text: string): number =>
  log.append('context/message', { content: text === '' ? [] : words(text), source: user, envelope: 'raw' }, { surfaceOp: 'append' }).seq

const replace = (log: SessionLog, start: number, end: number, sourceEventSeqs: readonly number[], text = `${start}-${end}`): number =>
  log.append(
    'context/message',
    { content: text === '' ? [] : words(text), source: user, envelope: 'raw' },
    { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs },
  ).seq

const textsOf = (log: SessionLog): readonly string[] =>
  log.deriveMessages().map(({ content }) => content.map((block) => (block.type === 'text' ? block.text : '?')).join(''))

const fill = (log: SessionLog, ...texts: readonly string[]): readonly number[] => texts.map((text) => add(log, text))

describe('a replacement', () => {
  test('stands where the inclusive range of present nodes stood, named by their seqs', () => {
    const { log } = newLog()
    const [, b, c] = fill(log, 'a', 'b', 'c', 'd')
    const seq = replace(log, b!, c!, [b!, c!], 'bc')
    expect(textsOf(log)).toEqual(['a', 'bc', 'd'])
    expect(log.surfaceSeqs()).toEqual([0, seq, 3])
  })

  test('may be replaced in its turn, under its own seq', () => {
    const { log } = newLog()
    const [a, b] = fill(log, 'a', 'b', 'c')
    const ab = replace(log, a!, b!, [a!, b!], 'ab')
    replace(log, ab, 2, [ab, 2], 'abc')
    expect(textsOf(log)).toEqual(['abc'])
  })

  test('of a range that was replaced already is refused', () => {
    const { log } = newLog()
    const [a, b] = fill(log, 'a', 'b')
    replace(log, a!, a!, [a!], 'A')
    expect(() => replace(log, a!, b!, [a!, b!])).toThrow(/0 to 1 is none/)
    expect(textsOf(log)).toEqual(['A', 'b'])
  })

  test('of a range that stands backwards, or of an event that is not on the surface, is refused', () => {
    const { log } = newLog()
    const [a, b] = fill(log, 'a', 'b')
    const title = log.append('session/title', { title: 'A', by: 'user' }).seq
    expect(() => replace(log, b!, a!, [a!, b!])).toThrow(/present range/)
    expect(() => replace(log, title, title, [title])).toThrow(/present range/)
    expect(() => replace(log, 0, 99, [a!, b!])).toThrow(/present range/)
  })

  test('must name every event that it hides', () => {
    const { log } = newLog()
    const [a, b, c] = fill(log, 'a', 'b', 'c')
    expect(() => replace(log, a!, c!, [a!, c!])).toThrow(/1 is missing/)
    expect(() =>
      log.append('context/message', { content: [], source: user }, { surfaceOp: { op: 'replace', start: a!, end: b! } }),
    ).toThrow(/0 is missing/)
    expect(textsOf(log)).toEqual(['a', 'b', 'c'])
  })

  test('may name more than it hides: what it was made from', () => {
    const { log } = newLog()
    const [a, b] = fill(log, 'a', 'b')
    replace(log, b!, b!, [b!, a!], 'B')
    expect(textsOf(log)).toEqual(['a', 'B'])
  })

  test('with empty content takes the range off the surface', () => {
    const { log } = newLog()
    const [a, b] = fill(log, 'a', 'b', 'c')
    replace(log, a!, b!, [a!, b!], '')
    expect(textsOf(log)).toEqual(['c'])
    expect(log.length).toBe(4)
  })

  test('hides from the model, never from the log', () => {
    const { log } = newLog()
    const [a] = fill(log, 'a')
    replace(log, a!, a!, [a!], 'A')
    expect(log.at(a!)).toMatchObject({ data: { content: words('a') } })
  })
})

describe('a tool/result that replaces', () => {
  const result = (log: SessionLog, callId: string, range: readonly [number, number], sourceEventSeqs: readonly number[]) =>
    log.append(
      'tool/result',
      { turn: 1, step: 1, callId, content: words('short'), isError: false },
      { surfaceOp: { op: 'replace', start: range[0], end: range[1] }, sourceEventSeqs },
    )
  const call = (log: SessionLog, callId: string): number =>
    log.append('tool/call', { turn: 1, step: 1, callId, name: 't', arguments: '' }).seq
  const long = (log: SessionLog, callId: string, callSeq: number): number =>
    log.append(
      'tool/result',
      { turn: 1, step: 1, callId, content: words('long'), isError: false },
      { surfaceOp: 'append', sourceEventSeqs: [callSeq] },
    ).seq

  test('cites its own tool/call first, then what it hides', () => {
    const { log } = newLog()
    const c1 = call(log, 'c1')
    const r1 = long(log, 'c1', c1)
    const c2 = call(log, 'c2')
    expect(() => result(log, 'c1', [r1, r1], [r1, c1])).toThrow(/cite the tool\/call of c1 first/)
    expect(() => result(log, 'c1', [r1, r1], [c2, r1])).toThrow(/cite the tool\/call of c1 first/)
    expect(() => result(log, 'c1', [r1, r1], [c1])).toThrow(/1 is missing/)
    result(log, 'c1', [r1, r1], [c1, r1])
    expect(log.deriveMessages()).toHaveLength(1)
    expect(log.deriveMessages()[0]).toMatchObject({ content: [{ toolCallId: 'c1', content: words('short') }] })
  })
})

test('any run of appends and replacements agrees with a list that is spliced, and a log made from it derives the same', () => {
  type Op = { readonly kind: 'add' | 'replace'; readonly at: number; readonly span: number; readonly empty: boolean }
  const op = fc.record<Op>({
    kind: fc.constantFrom('add', 'replace'),
    at: fc.nat(20),
    span: fc.nat(4),
    empty: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(op, { maxLength: 40 }), (ops) => {
      const { log } = newLog()
      let model: { readonly seq: number; readonly text: string }[] = []
      for (const { kind, at, span, empty } of ops) {
        const text = empty ? '' : `t${log.length}`
        if (kind === 'add' || model.length === 0) {
          model.push({ seq: add(log, text), text })
          continue
        }
        const from = at % model.length
        const hidden = model.slice(from, from + span + 1)
        const seq = replace(
          log,
          hidden[0]!.seq,
          hidden.at(-1)!.seq,
          hidden.map((node) => node.seq).toSorted((a, b) => a - b),
          text,
        )
        model = model.toSpliced(from, hidden.length, { seq, text })
      }
      expect(log.surfaceSeqs()).toEqual(model.map(({ seq }) => seq))
      expect(textsOf(log)).toEqual(model.map(({ text }) => text).filter((text) => text !== ''))
      const again = newLog({ seed: JSON.parse(JSON.stringify([...log.events()])) }).log
      expect(JSON.stringify(again.deriveMessages())).toBe(JSON.stringify(log.deriveMessages()))
    }),
  )
})
