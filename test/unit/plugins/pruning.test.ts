// Pruning (L81): long results of tools are shortened where the model sees them, and nowhere else.
import { describe, expect, test } from 'vitest'
import type { ContentBlock } from '../../../src/storage/log/content.ts'
import type { EventOf, SessionEvent } from '../../../src/storage/log/events.ts'
import { fold } from '../../../src/storage/log/projection.ts'
import { transcript } from '../../../src/storage/log/projections/transcript.ts'
import type { ModelInfo } from '../../../src/worker/hooks/llm.ts'
import { type PruningOptions, pruning } from '../../../src/worker/plugins/compaction/pruning.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { deriveFrom, misplacedCalls } from '../../kit/check-log.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { type Reply, reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'

const SMALL: PruningOptions = { longFrom: 200, keepSteps: 2, keepOld: 100, minGain: 0, largeFrom: 5_000 }
const picture: ContentBlock = { type: 'image', blob: `sha256-${'0'.repeat(64)}`, mediaType: 'image/png' }

/** Beginnings and ends that can be told from the middle. */
const lengthy = (length: number): string => `HEAD${'.'.repeat(Math.max(0, length - 8))}TAIL`

const mounted = (replies: readonly Reply[], options: PruningOptions = SMALL, info: ModelInfo = {}) => {
  const made = testRuntime(replies)
  Object.assign(made.model, { info: () => info })
  made.runtime.use(pruning(options))
  made.runtime.tools.register(
    defineTool({
      name: 'give',
      description: 'Gives so many characters.',
      parameters: { length: { type: 'integer', required: true }, fails: { type: 'boolean' }, pictures: { type: 'integer' } },
      execute: ({ length, fails = false, pictures = 0 }) => ({
        content: [
          ...(length > 0 ? [{ type: 'text' as const, text: lengthy(length) }] : []),
          ...Array<ContentBlock>(pictures).fill(picture),
        ],
        isError: fails,
        meta: { kept: 'in the log' },
      }),
    }),
  )
  return made
}

const give = (length: number, more: { readonly fails?: boolean; readonly pictures?: number } = {}): Reply =>
  toolCall('give', { length, ...more })
const run = async (made: ReturnType<typeof mounted>) => {
  const agent = made.start()
  agent.send('go')
  await agent.whenIdle()
  made.model.assertPlayed()
  return agent
}
const prunedIn = (events: readonly SessionEvent[]): readonly EventOf<'tool/result'>[] =>
  events.filter((event): event is EventOf<'tool/result'> => event.type === 'tool/result' && event.surfaceOp !== 'append')
const wordsOf = (event: EventOf<'tool/result'> | undefined): string =>
  event?.data.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('') ?? ''
/** Of each request: how long its results are. */
const lengths = (made: ReturnType<typeof mounted>): readonly (readonly number[])[] =>
  made.model.requests.map(({ messages }) =>
    messages.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'tool-result' ? [block.content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)] : [],
      ),
    ),
  )

describe('L81 old results', () => {
  test('L81 a long result is shortened to head, marker and tail after so many newer steps', async () => {
    const made = mounted([give(1_000), give(50), give(50), text('ok')])
    const { session } = await run(made)
    const [pruned] = prunedIn(session.events)
    expect(wordsOf(pruned)).toMatch(
      /^HEAD\.+\n\[… 900 characters of this older result left out; make the call again if they matter …\]\n\.+TAIL$/,
    )
    expect(lengths(made).map(([first]) => first)).toEqual([undefined, 1_000, 1_000, wordsOf(pruned).length])
    expect(prunedIn(session.events)).toHaveLength(1)
  })

  test('L81 on the surface only: the log keeps the whole one, the person goes on seeing it', async () => {
    const made = mounted([give(1_000), give(50), give(50), text('ok')])
    const { session } = await run(made)
    expect(dataOf(session.events, 'tool/result')[0]?.content).toEqual([{ type: 'text', text: lengthy(1_000) }])
    expect(JSON.stringify(fold(transcript, session.events))).toContain(lengthy(1_000))
    expect(JSON.stringify(fold(transcript, session.events))).not.toContain('left out')
  })

  test('L81 it keeps its place, its call and its error, and cites the call and what it hides', async () => {
    const made = mounted([give(1_000, { fails: true }), give(50), give(50), text('ok')])
    const { session } = await run(made)
    const { events } = session
    const [pruned] = prunedIn(events)
    const call = events.find(({ type }) => type === 'tool/call')
    const whole = events.find((event) => event.type === 'tool/result')
    expect(pruned?.sourceEventSeqs).toEqual([call?.seq, whole?.seq])
    expect(pruned?.surfaceOp).toEqual({ op: 'replace', start: whole?.seq, end: whole?.seq })
    expect(pruned?.data).toMatchObject({ turn: 1, step: 1, callId: whole?.data.callId, isError: true, meta: { pruned: { size: 1_000 } } })
    expect(misplacedCalls(deriveFrom(events))).toEqual([])
    expect(made.model.requests.map((request) => JSON.stringify(request))).toEqual(rebuildRequests(events).map(({ json }) => json))
  })

  test('L81 short ones, and long ones that are new, stay', async () => {
    const made = mounted([give(200), give(1_000), give(1_000), text('ok')])
    const { session } = await run(made)
    expect(prunedIn(session.events)).toEqual([])
  })

  test('L81 they are shortened together, once it is worth it: a cache is lost each time', async () => {
    const made = mounted([...Array<Reply>(6).fill(give(600)), text('ok')], { ...SMALL, minGain: 1_400 })
    const { session } = await run(made)
    const steps = prunedIn(session.events).map(({ seq }) => session.events.slice(0, seq).filter(({ type }) => type === 'step/start').length)
    expect(steps).toEqual([5, 5, 5])
  })

  test('L81 old pictures go as well, and the text says so', async () => {
    const made = mounted([give(10, { pictures: 2 }), give(50), give(50), text('ok')])
    const { session } = await run(made)
    expect(wordsOf(prunedIn(session.events)[0])).toBe(`${lengthy(10)}\n[2 pictures of this older result left out]`)
  })

  test('L81 what another plugin has replaced meanwhile is left alone', async () => {
    const made = mounted([give(1_000), give(50), give(50), text('ok')])
    made.runtime.on('agent/turn-continuation', (agent, _turn, _byDefault, next) => {
      const { events } = agent.session
      const [first] = events.filter((event) => event.type === 'tool/result')
      const reply = events.find((event) => event.type === 'assistant/message')
      if (made.model.requests.length === 2 && first !== undefined && reply !== undefined)
        agent.session.append(
          'context/message',
          { content: [], source: { kind: 'plugin', plugin: 'other' } },
          { surfaceOp: { op: 'replace', start: reply.seq, end: first.seq }, sourceEventSeqs: [reply.seq, first.seq] },
        )
      return next()
    })
    const { session } = await run(made)
    expect(prunedIn(session.events)).toEqual([])
    expect(dataOf(session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'completed' } }])
  })

  test('L81 a session that was reopened goes on where it was', async () => {
    const made = mounted([give(1_000), give(50), text('ok')])
    const { session } = await run(made)
    const again = mounted([give(50), text('ok')])
    const { agent } = await again.runtime.agents.create({
      agentId: 'b',
      sessionId: 's',
      seed: session.events,
      agentOptions: { provider: 'test', model: 'scripted' },
    })
    agent.send('more')
    await agent.whenIdle()
    expect(prunedIn(agent.session.events)).toHaveLength(1)
  })
})

describe('L81 very large results', () => {
  const filed = () => {
    const files = new Map<string, string>()
    const spill: PruningOptions['spill'] = async (_session, name, whole) => {
      files.set(name, whole)
      return `/tool-results/${name}`
    }
    return { files, spill }
  }

  test('L81 one is put into a file before the model sees it, with a pointer in its place', async () => {
    const { files, spill } = filed()
    const made = mounted([give(20_000), text('ok')], { ...SMALL, spill })
    const { session } = await run(made)
    const [pruned] = prunedIn(session.events)
    const [[name, whole] = []] = [...files]
    expect(name).toMatch(/^\d+-give\.txt$/)
    expect(whole).toBe(lengthy(20_000))
    expect(wordsOf(pruned)).toContain(
      `[… 17500 characters left out, for the result is too long to be shown whole; the whole is in /tool-results/${name}, to be read in parts …]`,
    )
    expect(lengths(made)[1]?.[0]).toBe(wordsOf(pruned).length)
    expect(pruned?.data.meta).toEqual({ pruned: { size: 20_000, file: `/tool-results/${name}` } })
  })

  test('L81 shortened once more when it is old, it still says where the whole is', async () => {
    const { files, spill } = filed()
    const made = mounted([give(20_000), give(50), give(50), text('ok')], { ...SMALL, spill })
    const { session } = await run(made)
    const [first, second] = prunedIn(session.events)
    expect(files.size).toBe(1)
    expect(second?.sourceEventSeqs?.[1]).toBe(first?.seq)
    expect(wordsOf(second).length).toBeLessThan(300)
    expect(wordsOf(second)).toContain(`the whole is in /tool-results/${[...files.keys()][0]}`)
    expect(misplacedCalls(deriveFrom(session.events))).toEqual([])
  })

  test('L81 a file that cannot be written costs the pointer, not the turn', async () => {
    const spill = () => Promise.reject(new Error('no room'))
    const made = mounted([give(20_000), text('ok')], { ...SMALL, spill })
    const { session } = await run(made)
    expect(wordsOf(prunedIn(session.events)[0])).toContain('make the call again if they matter')
    expect(dataOf(session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'completed' } }])
  })

  test('L81 by default large is a quarter of the model window, 80,000 characters at most', async () => {
    const { spill } = filed()
    const small = mounted([give(9_000), text('ok')], { spill }, { contextWindow: 8_000 })
    expect(prunedIn((await run(small)).session.events)).toHaveLength(1)
    const large = mounted([give(79_000), give(81_000), text('ok')], { spill }, { contextWindow: 1_000_000 })
    expect(prunedIn((await run(large)).session.events).map(({ data }) => data.step)).toEqual([2])
  })

  test('L20 a cancel while the file is written leaves the surface as it is', async () => {
    const spill = async (): Promise<string> => {
      agent.cancel('stop')
      return '/late'
    }
    const made = mounted([give(20_000)], { ...SMALL, spill })
    const agent = made.start()
    agent.send('go')
    await agent.whenIdle()
    expect(prunedIn(agent.session.events)).toEqual([])
    expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'aborted', reason: 'stop' } }])
  })

  test('L81 a name that a model made up is no path', async () => {
    const { files, spill } = filed()
    const made = mounted([reply(toolCall('../../etc', {})), text('ok')], { ...SMALL, longFrom: 10, largeFrom: 20, spill })
    await run(made)
    expect([...files.keys()]).toEqual([expect.stringMatching(/^\d+-______etc\.txt$/)])
  })
})
