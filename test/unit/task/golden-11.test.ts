// Golden log 11: a whole task run, event by event, against the JSON Lines fixture in test/sessions.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { problemsOf } from '../../kit/check-log.ts'
import { fails, reply, text } from '../../kit/replies.ts'
import { typesOf } from '../../kit/test-runtime.ts'
import { COMPLETE, sh, taskSetup } from './kit.ts'

const golden = (): readonly string[] =>
  readFileSync(fileURLToPath(new URL('../../sessions/golden-11.jsonl', import.meta.url)), 'utf8')
    .trimEnd()
    .split('\n')

test('golden 11, a task run: a tool, a text without status, a nudge, a failing call, then done', async () => {
  const { agent, run } = taskSetup([
    reply(text('Let me see.'), sh('ls', 'c1')),
    text('I looked around.'),
    fails('overloaded', 'The model is busy.'),
    sh(COMPLETE, 'c2'),
  ])
  const result = await run('tidy up', { onPausableError: async () => 'continue' })
  const { header, events } = agent.session
  expect(typesOf(events)).toEqual([
    ...['task/started', 'turn/start', 'user/message'],
    ...['task/noted', 'step/start', 'request/header', 'assistant/chunk', 'assistant/message', 'tool/call', 'tool/result', 'step/end'],
    ...['task/noted', 'step/start', 'assistant/chunk', 'assistant/message', 'step/end', 'task/noted', 'context/message'],
    ...['task/noted', 'step/start', 'task/noted', 'context/message', 'assistant/chunk', 'assistant/message'],
    ...['tool/call', 'tool/result', 'step/end', 'task/noted', 'turn/end', 'task/ended'],
  ])
  expect([header, ...events].map((line) => JSON.stringify(line))).toEqual(golden())
  expect(problemsOf(events)).toEqual([])
  expect(result).toMatchObject({ success: true, exitReason: 'status_complete_post_tool', toolCount: 2, turnCount: 3 })
})
