// What a session is doing, told from its log.
import { describe, expect, test } from 'vitest'
import type { TaskResult } from '../../../src/storage/log/events.ts'
import { fold } from '../../../src/storage/log/projection.ts'
import { runState } from '../../../src/storage/log/projections/run-state.ts'
import type { Entry } from './build-log.ts'
import { buildLog, call, delta, message, stepEnd, stepStart, text, turnEnd, turnStart, userSays } from './build-log.ts'

const stateAfter = (...entries: Entry[]) => fold(runState, buildLog(entries))
const called: Entry = ['tool/call', { turn: 1, step: 1, callId: 'c1', name: 'run_js', arguments: '{}' }]
const result: Entry = ['tool/result', { turn: 1, step: 1, callId: 'c1', content: [text('1')], isError: false }]

const approval = (callId: string): Entry => ['approval/asked', { callId, action: { tool: 'x', summary: 'y' } }]
const allowed = (callId: string): Entry => ['approval/decided', { callId, decision: { kind: 'allow', reach: 'once' } }]
const stopped: TaskResult = {
  success: false,
  exitReason: 'stopped',
  summary: 'Stopped',
  toolCount: 0,
  turnCount: 1,
  totalCost: null,
  totalUsage: { inputTokens: 1, outputTokens: 1 },
}

describe('H4 the run state is a union', () => {
  test('a session without turns is idle', () => {
    expect(stateAfter()).toEqual({ kind: 'idle' })
  })

  test('a turn runs from its start, and says what it does', () => {
    expect(stateAfter(turnStart, userSays('hi'))).toEqual({ kind: 'running', turn: 1, since: 1000, activity: { kind: 'starting' } })
    expect(stateAfter(turnStart, stepStart())).toMatchObject({ activity: { kind: 'asking', step: 1 } })
    expect(stateAfter(turnStart, stepStart(), delta('a'))).toMatchObject({ activity: { kind: 'replying', step: 1 } })
    expect(stateAfter(turnStart, stepStart(), message([call('c1', 'run_js', '{}')]), called)).toMatchObject({
      activity: { kind: 'tools', calls: [{ callId: 'c1', name: 'run_js' }] },
    })
    expect(stateAfter(turnStart, stepStart(), called, result)).toMatchObject({ activity: { kind: 'tools', calls: [] } })
    expect(stateAfter(turnStart, stepStart(), stepEnd())).toMatchObject({ activity: { kind: 'starting' } })
  })

  test('a retry says until when it waits', () => {
    const failure = { class: 'overloaded', message: 'busy', transient: true } as const
    expect(stateAfter(turnStart, stepStart(), ['model/retry', { turn: 1, step: 1, attempt: 2, delayMs: 500, failure }])).toMatchObject({
      activity: { kind: 'retrying', attempt: 2, until: 1502 },
    })
  })

  test('a question and an approval wait for the person until they are answered', () => {
    const asked: Entry = ['question/asked', { callId: 'c1', questions: [] }]
    const calls = [{ callId: 'c1', name: 'run_js' }]
    expect(stateAfter(turnStart, stepStart(), called, asked)).toEqual({
      kind: 'waiting',
      turn: 1,
      since: 1000,
      activity: { kind: 'tools', step: 1, calls },
      on: 'answer',
      callId: 'c1',
      also: [],
    })
    const answered: Entry = ['question/answered', { callId: 'c1', answers: null }]
    expect(stateAfter(turnStart, stepStart(), called, asked, answered)).toMatchObject({
      kind: 'running',
      activity: { kind: 'tools', calls },
    })
    expect(stateAfter(turnStart, stepStart(), called, approval('c1'))).toMatchObject({ kind: 'waiting', on: 'decision' })
    expect(stateAfter(turnStart, stepStart(), called, approval('c1'), result)).toMatchObject({ kind: 'running' })
    expect(stateAfter(turnStart, stepStart(), called, approval('c1'), turnEnd({ kind: 'aborted' })).kind).toBe('idle')
  })

  test('of several that wait the oldest is named, and each answer leaves the others waiting', () => {
    const both = [turnStart, stepStart(), called, approval('c1'), approval('c2')]
    expect(stateAfter(...both)).toMatchObject({ callId: 'c1', also: [{ on: 'decision', callId: 'c2' }] })
    expect(stateAfter(...both, allowed('c2'))).toMatchObject({ kind: 'waiting', callId: 'c1', also: [] })
    expect(stateAfter(...both, allowed('c1'))).toMatchObject({ kind: 'waiting', callId: 'c2', also: [] })
    expect(stateAfter(...both, allowed('c1'), allowed('c2')).kind).toBe('running')
    expect(stateAfter(...both, approval('c1'))).toMatchObject({ callId: 'c1', also: [{ callId: 'c2' }] })
  })

  test('T32 a task run is told with its step from its start to its end, over turns and waits', () => {
    const started: Entry = ['task/started', { run: 'r1', kind: 'task', prompt: [text('go')] }]
    const iteration: Entry = ['task/noted', { run: 'r1', name: 'iteration', data: { current: 3, max: 100 } }]
    const task = { run: 'r1', kind: 'task', current: 3, max: 100 }
    expect(stateAfter(started).task).toEqual({ run: 'r1', kind: 'task' })
    expect(stateAfter(started, turnStart, stepStart(), iteration).task).toEqual(task)
    expect(stateAfter(started, turnStart, iteration, called, approval('c1'), allowed('c1')).task).toEqual(task)
    expect(stateAfter(started, turnStart, iteration, turnEnd(), turnStart).task).toEqual(task)
    expect('task' in stateAfter(started, turnStart, iteration, turnEnd(), ['task/ended', { run: 'r1', result: stopped }])).toBe(false)
    expect(stateAfter(started, ['task/noted', { run: 'other', name: 'iteration', data: { current: 9, max: 9 } }]).task).toEqual({
      run: 'r1',
      kind: 'task',
    })
  })

  test('a failed or interrupted turn pauses the session, any other end leaves it idle', () => {
    const failed = { kind: 'error', step: 1, message: 'no' } as const
    expect(stateAfter(turnStart, turnEnd(failed))).toEqual({ kind: 'paused', turn: 1, by: failed, at: 1001 })
    expect(stateAfter(turnStart, turnEnd({ kind: 'interrupted' })).kind).toBe('paused')
    expect(stateAfter(turnStart, turnEnd({ kind: 'aborted' }))).toEqual({ kind: 'idle', ended: { kind: 'aborted' } })
    expect(stateAfter(turnStart, turnEnd())).toEqual({ kind: 'idle', ended: { kind: 'completed' } })
  })

  test('the deltas of one reply leave the very same state', () => {
    const state = stateAfter(turnStart, stepStart(), delta('a'))
    for (const event of buildLog([delta('b'), userSays('x'), message([])], 3)) expect(runState.apply(state, event)).toBe(state)
  })
})
