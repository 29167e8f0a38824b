// T6: the `status` command, as words of a shell and as a tool.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readStatusWords, STATUS_USAGE, statusCommand, statusTool } from '../../../src/worker/tools/status.ts'
import { toolCall } from '../../kit/replies.ts'
import { COMPLETE, results, sh, taskSetup, wordsIn } from './kit.ts'

const words = (line: string): readonly string[] => line.split(' ')

describe('T6 reads the words behind status', () => {
  test('T6 words after a flag are joined, so quotes are optional', () => {
    const expected = {
      ok: true,
      status: { task: 'add a box', done: 'box added', remaining: 'the tests', complete: false, hasExplicitFlag: true },
    }
    expect(readStatusWords(words('--task add a box --done box added --remaining the tests --incomplete'))).toEqual(expected)
    expect(readStatusWords(['--task', 'add a box', '--done', 'box added', '--remaining', 'the tests', '--incomplete'])).toEqual(expected)
    expect(readStatusWords(['--task=add a box', '--done=box', 'added', '--incomplete', '--remaining', 'the', 'tests'])).toEqual(expected)
  })

  test.each([
    ['--complete', true, true],
    ['--incomplete', false, true],
    ['', true, false],
    ['--remaining None.', true, false],
    ['--remaining the docs', false, false],
    ['--remaining the docs --complete', true, true],
  ])('T6 with %j complete is %s, explicit %s; remaining defaults to none', (flag, complete, hasExplicitFlag) => {
    const read = readStatusWords(words(`--task T --done D ${flag}`.trim()))
    expect(read).toMatchObject({ ok: true, status: { complete, hasExplicitFlag } })
    if (read.ok && !flag.includes('--remaining')) expect(read.status.remaining).toBe('none')
  })

  test.each([
    ['no task', '--done D --complete', '--task'],
    ['no done', '--task T --complete', '--done'],
    ['neither', '', '--task and --done'],
    ['a task without words', '--task --done D', '--task'],
    ['an unknown flag', '--task T --done D --finished', '--finished'],
    ['both flags', '--task T --done D --complete --incomplete', 'once'],
    ['a flag twice', '--task T --task U --done D', 'twice'],
    ['words before any flag', 'all done --task T --done D', '"all"'],
    ['words behind --complete', '--task T --done D --complete now', '"now"'],
    ['--complete with a value', '--task T --done D --complete=yes', '--complete'],
  ])('T6 %s is a usage error', (_, line, says) => {
    const read = readStatusWords(line === '' ? [] : words(line))
    expect(read).toMatchObject({ ok: false })
    if (!read.ok) {
      expect(read.message).toContain(says)
      expect(read.message).toContain(STATUS_USAGE)
    }
  })

  test('T6 whatever the words are, it is a status or a usage error', () => {
    const word = fc.oneof(fc.constantFrom('--task', '--done', '--remaining', '--complete', '--incomplete', '--'), fc.string())
    fc.assert(
      fc.property(fc.array(word), (given) => {
        const { exitCode, signals, stdout, stderr } = statusCommand(given)
        expect(exitCode === 0).toBe(signals !== undefined)
        expect(exitCode === 0 ? stderr : stdout).toBe('')
      }),
    )
  })
})

describe('T6 answers in three short lines', () => {
  test('T6 recorded, remaining, complete', () => {
    expect(statusCommand(words('--task T --done D --complete'))).toEqual({
      stdout: 'Recorded: T: D\nRemaining: none\nComplete: yes\n',
      stderr: '',
      exitCode: 0,
      signals: {
        statusComplete: true,
        statusResult: { task: 'T', done: 'D', remaining: 'none', complete: true, hasExplicitFlag: true },
      },
    })
  })

  test('T6 without --complete nothing is claimed', () => {
    expect(statusCommand(words('--task T --done D')).signals).not.toHaveProperty('statusComplete')
    expect(statusCommand(words('--task T --done D --incomplete'))).toMatchObject({
      stdout: 'Recorded: T: D\nRemaining: none\nComplete: no\n',
    })
  })

  test('T6 a usage error goes to stderr with exit code 2, and signals nothing', () => {
    expect(statusCommand(['--complete'])).toEqual({
      stdout: '',
      stderr: `status: --task and --done must be given\n${STATUS_USAGE}\n`,
      exitCode: 2,
    })
  })
})

describe('T6 in a run', () => {
  test('T6 is recognised alone and inside a chain', async () => {
    for (const command of [COMPLETE, `build && test && ${COMPLETE}`]) {
      expect(await taskSetup([sh(command)]).run()).toMatchObject({ exitReason: 'status_complete_post_tool' })
    }
  })

  test('T6 inside a chain only if it was reached', async () => {
    const { run } = taskSetup([sh(`build && fail && ${COMPLETE}`), sh(COMPLETE)])
    expect(await run()).toMatchObject({ turnCount: 2 })
  })

  test('T6 the tool says the same without a shell', async () => {
    const { run, agent } = taskSetup(
      [
        toolCall('status', { task: 'T', done: 'D', remaining: 'tests', complete: false }),
        toolCall('status', { task: 'T', done: 'D', complete: true }),
      ],
      { tools: [statusTool()] },
    )
    expect(await run()).toMatchObject({ success: true, exitReason: 'status_complete_post_tool', summary: 'D' })
    expect(results(agent.session.events).map(({ data }) => wordsIn(data.content))).toEqual([
      'Recorded: T: D\nRemaining: tests\nComplete: no',
      'Recorded: T: D\nRemaining: none\nComplete: yes',
    ])
  })

  test('T6 the tool refuses a task without words', async () => {
    const { run, agent } = taskSetup(
      [toolCall('status', { task: ' ', done: 'D', complete: true }), toolCall('status', { task: 'T', done: 'D', complete: true })],
      { tools: [statusTool()] },
    )
    expect(await run()).toMatchObject({ turnCount: 2 })
    expect(results(agent.session.events)[0]?.data).toMatchObject({ isError: true })
  })
})
