// Whatever the model, the tools and the people do: a run settles with a true outcome, its turns balance, and every call has its result.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ExitReason, TaskKind } from '../../../src/storage/log/events.ts'
import type { TaskOptions } from '../../../src/worker/plugins/task/task-options.ts'
import { isSuccess } from '../../../src/worker/plugins/task/verdict.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { statusTool } from '../../../src/worker/tools/status.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import {
  cutToolCall,
  disconnect,
  fails,
  finish,
  finishError,
  hang,
  noUsage,
  type Part,
  type ReplyValue,
  rawToolCall,
  reasoning,
  reply,
  text,
  throws,
  toolCall,
} from '../../kit/replies.ts'
import { dataOf } from '../../kit/test-runtime.ts'
import { bash, COMPLETE, sh, signalling, taskSetup } from './kit.ts'

const REASONS: readonly ExitReason[] = [
  ...([
    'status_complete',
    'status_complete_post_tool',
    'status_remaining_empty',
    'agent_type_exit',
    'setup_complete',
    'awaiting_user',
  ] as const),
  ...(['stopped', 'error_stop', 'nudge_exhaustion', 'loop_detected', 'max_iterations', 'budget_exhausted', 'disposed'] as const),
  'execution_error',
]

const slow = defineTool({
  name: 'slow',
  description: 'Ignores its signal.',
  parameters: {},
  execute: () => new Promise<string>(() => {}),
})

const part: fc.Arbitrary<Part> = fc.oneof(
  fc
    .constantFrom('', ' ', 'All done.', '```bash\nls\n```', 'You can run:\n```bash\nls\n```', 'bash{"command": "ls"}', COMPLETE)
    .map((words) => text(words)),
  fc.constantFrom('Let me see', '').map((words) => reasoning(words)),
  fc
    .constantFrom(
      ...['ls', 'cat a', 'cat b', 'fail', 'long x', 'long y', COMPLETE, `fail && ${COMPLETE}`],
      ...['status --task T --done D', 'status --task T --done D --remaining more --incomplete', 'status --oops'],
    )
    .map((command) => sh(command)),
  fc.constantFrom('nope', 'bas', 'bash<|channel|>x', '', '<|end|>').map((name) => toolCall(name, { command: 'ls' })),
  fc.constantFrom('not json', '{"command": "ls"', '[]', '{"command": 1}').map((args) => rawToolCall('bash', args)),
  fc.constantFrom('ready', 'ask', 'broken', 'status').map((name) => toolCall(name, name === 'status' ? { task: 'T', done: 'D' } : {})),
)

const replyOf: fc.Arbitrary<ReplyValue> = fc.oneof(
  { weight: 12, arbitrary: fc.array(part, { maxLength: 4 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<ReplyValue>(
      ...[fails('overloaded'), finishError('provider'), throws(new Error('down')), disconnect(), throws('a string')],
      ...[reply(text('a'), finish('max-tokens')), reply(text('a'), cutToolCall('bash', '{"comm')), reply(sh('ls'), noUsage())],
      ...[reply(finish('refusal')), reply(text('no'), finish('content-filter')), finish('aborted')],
    ),
  },
)

const optionsOf: fc.Arbitrary<TaskOptions> = fc.record(
  {
    kind: fc.constantFrom<TaskKind>('orchestrator', 'task', 'interview', 'explore', 'plan', 'setup'),
    maxSteps: fc.integer({ min: 1, max: 12 }),
    maxNudges: fc.integer({ min: 0, max: 3 }),
    maxDuplicateToolCalls: fc.integer({ min: 1, max: 3 }),
    budget: fc.record({ tokens: fc.integer({ min: 1, max: 200 }) }, { requiredKeys: [] }),
    completionGate: fc.constantFrom(...[async () => null, async () => 'not yet', async () => Promise.reject(new Error('gate'))]),
    onPausableError: fc.constantFrom(
      ...[async () => 'continue' as const, async () => 'stop' as const, async () => Promise.reject(new Error('handler'))],
    ),
    compaction: fc.constantFrom(
      ...[
        { needs: () => true, compact: async () => undefined },
        { needs: () => true, compact: async () => Promise.reject(new Error('c')) },
      ],
    ),
  },
  { requiredKeys: [] },
)

const TOOLS = () => [
  ...[bash(), statusTool(), slow],
  ...[
    signalling('ready', { setupComplete: true }),
    signalling('ask', { awaitingUser: true }),
    signalling('broken', { statusComplete: true }, true),
  ],
]

const holds = ({ agent, model }: ReturnType<typeof taskSetup>, result: Awaited<ReturnType<ReturnType<typeof taskSetup>['run']>>): void => {
  const { events } = agent.session
  expect(REASONS).toContain(result.exitReason)
  expect(result.success).toBe(isSuccess(result.exitReason))
  expect(result.summary).not.toBe('')
  expect(problemsOf(events)).toEqual([])
  expect(dataOf(events, 'task/started')).toHaveLength(1)
  expect(dataOf(events, 'task/ended')).toEqual([{ run: dataOf(events, 'task/started')[0]?.run, result }])
  expect(dataOf(events, 'turn/start').length).toBeLessThanOrEqual(1)
  const noted = dataOf(events, 'task/noted')
  expect(noted.filter(({ name }) => name === 'exit_reason').at(-1)?.data).toMatchObject({ reason: result.exitReason })
  expect(agent.status).not.toBe('running')
  expect(model.requests.length).toBeLessThanOrEqual(12)
}

describe('T1 whatever happens', () => {
  test('T1 T22 L6 any replies: the run settles with a true outcome, and every request is in the log', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(replyOf, { maxLength: 14 }), optionsOf, async (replies, options) => {
        const setup = taskSetup(replies, { tools: TOOLS() })
        const result = await setup.run('do it', { maxSteps: 12, ...options })
        holds(setup, result)
        expect(setup.reported).toEqual([])
        // An attempt that left no chunk cannot be told from the log; every other request can.
        const sent = new Set(setup.model.requests.map((request) => JSON.stringify(request)))
        for (const { json } of rebuildRequests(setup.agent.session.events)) expect(sent).toContain(json)
      }),
      { numRuns: 400 },
    )
  }, 60_000)

  test('T1 T15 any replies of a model without native tools', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(replyOf, { maxLength: 14 }), optionsOf, async (replies, options) => {
        const setup = taskSetup(replies, { tools: TOOLS(), info: { tools: false } })
        holds(setup, await setup.run('do it', { maxSteps: 12, ...options }))
        for (const request of setup.model.requests) expect(request).not.toHaveProperty('tools')
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  test('T1 a cancel, an abort, a disposal, steering or a prompt at any moment', async () => {
    const act = fc.constantFrom('cancel', 'abort', 'dispose', 'steer', 'send', 'inject')
    const hanging = fc.oneof(replyOf, fc.constantFrom<ReplyValue>(hang(), reply(text('so far'), hang()), toolCall('slow')))
    await fc.assert(
      fc.asyncProperty(
        fc.array(hanging, { minLength: 1, maxLength: 6 }),
        fc.array(act, { maxLength: 3 }),
        fc.nat(120),
        async (replies, acts, hops) => {
          const setup = taskSetup([...replies, ...Array.from({ length: 12 }, () => text('on'))], { tools: TOOLS() })
          const { agent, runtime } = setup
          const controller = new AbortController()
          const running = setup.run('do it', { maxSteps: 8, onPausableError: async () => 'continue' }, controller.signal)
          let given = 0
          for (const each of [...acts, 'abort']) {
            for (let hop = 0; hop < hops; hop++) await Promise.resolve()
            try {
              if (each === 'cancel') agent.cancel('enough')
              else if (each === 'abort') controller.abort('over')
              else if (each === 'dispose') void runtime.agents.dispose('a')
              else if (each === 'steer') agent.steer('and this', { id: `given-${++given}` })
              else if (each === 'send') agent.send('and that', { id: `given-${++given}` })
              else agent.inject('by the way', { source: { kind: 'plugin', plugin: 'p' } })
            } catch (error) {
              expect(String(error)).toContain('disposed')
            }
          }
          const result = await running
          expect(REASONS).toContain(result.exitReason)
          expect(dataOf(agent.session.events, 'task/ended')).toHaveLength(1)
          agent.inbox.release()
          agent.cancel('end', { queue: 'hold' })
          await agent.whenIdle()
          expect(problemsOf(agent.session.events)).toEqual([])
        },
      ),
      { numRuns: 120 },
    )
  }, 120_000)
})
