// T23: a long result that the model can see already is shown to it once.
import { describe, expect, test } from 'vitest'
import { fold } from '../../../src/storage/log/projection.ts'
import { transcript } from '../../../src/storage/log/projections/transcript.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { reply, toolCall } from '../../kit/replies.ts'
import { bash, complete, results, sh, signalling, taskSetup, wordsIn } from './kit.ts'

const page = (length: number, more: { readonly isError?: boolean; readonly letter?: () => string } = {}) =>
  defineTool({
    name: 'page',
    description: 'A page.',
    parameters: { n: { type: 'number' } },
    isConcurrencySafe: () => true,
    execute: () => ({
      content: [{ type: 'text', text: (more.letter?.() ?? 'x').repeat(length) }],
      isError: more.isError ?? false,
      meta: { kept: true },
    }),
  })

const twice = [toolCall('page', { n: 1 }, 'c1'), toolCall('page', { n: 2 }, 'c2'), complete('c3')]

describe('T23 a successful result of 500 characters or more that repeats one', () => {
  test('T23 is logged whole, and then replaced on the surface before step/end', async () => {
    const { run, agent, model } = taskSetup(twice, { tools: [page(500), bash()] })
    expect(await run()).toMatchObject({ success: true, toolCount: 3 })
    const { events } = agent.session
    const [first, second, marker] = results(events)
    expect(wordsIn(second!.data.content)).toBe('x'.repeat(500))
    expect(marker).toMatchObject({
      data: { callId: 'c2', isError: false, meta: { kept: true }, content: [{ text: expect.stringContaining('identical') }] },
      surfaceOp: { op: 'replace', start: second!.seq, end: second!.seq },
      sourceEventSeqs: [second!.seq - 1, second!.seq],
    })
    expect(events[marker!.seq + 1]?.type).toBe('step/end')
    const shown = model.requests[2]?.messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool-result'))
    expect(shown?.map((block) => block.type === 'tool-result' && wordsIn(block.content))).toEqual([
      wordsIn(first!.data.content),
      expect.stringContaining('identical'),
    ])
    expect(problemsOf(events)).toEqual([])
    expect(rebuildRequests(events).map(({ json }) => json)).toEqual(model.requests.map((request) => JSON.stringify(request)))
  })

  test('T23 in one batch of parallel calls too, each before its step ends', async () => {
    const { run, agent } = taskSetup([reply(...[1, 2, 3].map((n) => toolCall('page', { n }, `c${n}`))), complete()], {
      tools: [page(600), bash()],
    })
    await run()
    const markers = results(agent.session.events).filter(({ surfaceOp }) => surfaceOp !== 'append')
    expect(markers.map(({ data }) => data.callId)).toEqual(['c2', 'c3'])
    const end = agent.session.events.findIndex(({ type }) => type === 'step/end')
    expect(markers.every(({ seq }) => seq < end)).toBe(true)
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T23 the person keeps the whole one', async () => {
    const { run, agent } = taskSetup(twice, { tools: [page(500), bash()] })
    await run()
    const { pages } = fold(transcript, agent.session.events)
    expect(JSON.stringify(pages)).not.toContain('identical')
  })

  test('T23 one of an earlier run counts, as long as it is visible', async () => {
    const { run, agent } = taskSetup([twice[0]!, complete('c9'), twice[1]!, complete('c3')], { tools: [page(500), bash()] })
    await run('one')
    await run('two')
    expect(results(agent.session.events).filter(({ surfaceOp }) => surfaceOp !== 'append')).toHaveLength(1)
  })
})

describe('T23 stays verbatim', () => {
  test.each([
    ['a result of 499 characters', () => page(499)],
    ['a failed one', () => page(600, { isError: true })],
    ['one that differs in a single character', () => page(600, { letter: letters() })],
  ])('T23 %s', async (_, made) => {
    const { run, agent } = taskSetup(twice, { tools: [made(), bash()] })
    await run()
    expect(results(agent.session.events).every(({ surfaceOp }) => surfaceOp === 'append')).toBe(true)
  })

  test('T23 one whose earlier copy a compaction hid', async () => {
    const { run, agent } = taskSetup(twice, { tools: [page(600), bash()] })
    let compacted = false
    const compaction = {
      needs: () => !compacted,
      compact: async () => {
        compacted = true
        const surface = agent.session.events.flatMap((event) => ('surfaceOp' in event ? [event.seq] : []))
        agent.session.append(
          'context/message',
          { content: [{ type: 'text', text: 'summary' }], source: { kind: 'plugin', plugin: 'compaction' }, envelope: 'raw' },
          { surfaceOp: { op: 'replace', start: surface[0]!, end: surface.at(-1)! }, sourceEventSeqs: surface },
        )
        return undefined
      },
    }
    await run('do it', { compaction })
    expect(compacted).toBe(true)
    expect(results(agent.session.events).every(({ surfaceOp }) => surfaceOp === 'append')).toBe(true)
  })

  test('T23 one whose signals end the run: they stay', async () => {
    const long = {
      ...signalling('report', { statusComplete: true }),
      execute: () => ({ content: [{ type: 'text' as const, text: 'y'.repeat(600) }], meta: { signals: { statusComplete: true } } }),
    }
    const answers = ['no', null]
    const { run, agent } = taskSetup([toolCall('report', {}, 'c1'), sh('a'), toolCall('report', {}, 'c2')], { tools: [long, bash()] })
    expect(await run('do it', { completionGate: async () => answers.shift() ?? null })).toMatchObject({
      exitReason: 'status_complete_post_tool',
    })
    expect(results(agent.session.events).at(-1)).toMatchObject({
      surfaceOp: { op: 'replace' },
      data: { meta: { signals: { statusComplete: true } } },
    })
  })

  test('T23 outside of a run', async () => {
    const { agent } = taskSetup([twice[0]!, twice[1]!, complete()], { tools: [page(600), bash()] })
    agent.send('chat')
    await agent.whenIdle()
    expect(results(agent.session.events).every(({ surfaceOp }) => surfaceOp === 'append')).toBe(true)
  })
})

const letters = (): (() => string) => {
  let n = 0
  return () => 'ab'[n++ % 2]!
}
