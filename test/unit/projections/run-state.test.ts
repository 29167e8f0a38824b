// What a session is doing, told from its log.
import { describe, expect, test } from 'vitest'
import { fold } from '../../../src/storage/log/projection.ts'
import { runState } from '../../../src/storage/log/projections/run-state.ts'
import type { Entry } from './build-log.ts'
import { buildLog, call, delta, message, stepEnd, stepStart, text, turnEnd, turnStart, userSays } from './build-log.ts'

const stateAfter = (...entries: Entry[]) => fold(runState, buildLog(entries))
const called: Entry = ['tool/call', { turn: 1, step: 1, callId: 'c1', name: 'run_js', arguments: '{}' }]
const result: Entry = ['tool/result', { turn: 1, step: 1, callId: 'c1', content: [text('1')], isError: false }]

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
    expect(stateAfter(turnStart, stepStart(), called, asked)).toEqual({ kind: 'waiting', turn: 1, since: 1000, on: 'answer', callId: 'c1' })
    expect(stateAfter(turnStart, stepStart(), called, asked, ['question/answered', { callId: 'c1', answers: null }]).kind).toBe('running')
    expect(
      stateAfter(turnStart, stepStart(), called, ['approval/asked', { callId: 'c1', action: { tool: 'x', summary: 'y' } }]),
    ).toMatchObject({
      on: 'decision',
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
