// Decides what comes after a step: on, with or without a word to the model, or out, and why. Pure but for its counters; one per run.
import type { Json } from '../../../storage/log/content.ts'
import type { TaskKind } from '../../../storage/log/events.ts'
import { isNothing, type StatusResult } from '../../hooks/task-signals.ts'
import { createRow } from './row.ts'
import { hasReasoning, type StepFacts, type StepOutcome, textOf } from './step-facts.ts'
import { endsWithText } from './task-options.ts'
import * as texts from './texts.ts'
import { loopDetected, nudgeExhaustion, type Verdict } from './verdict.ts'

export type Note = { readonly name: string; readonly data: Json }

export type Course =
  | { readonly kind: 'exit'; readonly verdict: Verdict }
  /** Out, if the gate accepts. */
  | { readonly kind: 'claim'; readonly verdict: Verdict }
  | { readonly kind: 'on'; readonly note?: Note; readonly reminder?: string }

/** What the rules saw of the step, besides the log. */
export type Findings = {
  /** What went round in circles, if the run is to end for it. */
  readonly loop: string | undefined
  /** The name for which the reply was cut. */
  readonly wrongTool: { readonly name: string; readonly right: string | undefined; readonly names: readonly string[] } | undefined
  /** The form in which a call was written as text, and the tool that it was meant for. */
  readonly writtenCall: { readonly form: string; readonly tool: string } | undefined
  readonly reporting: texts.Reporting
}

export interface CourseOfRun {
  after(facts: StepFacts, findings: Findings): Course
  /** The gate sent the work back: what was reported does not stand. */
  sentBack(text: string): Course
  /** What the model was asked to do again may be made again. */
  readonly retrying: boolean
}

/** How often in a row the model is told what was wrong before it is nudged like any other. */
const MOST_RETRIES = 2

type Pending = { readonly status: StatusResult; readonly complete: boolean }

const accepted = (status: StatusResult | undefined): string => status?.done || 'The work is reported as complete.'

export const createCourse = (kind: TaskKind, maxNudges: number): CourseOfRun => {
  const quiet = endsWithText(kind)
  const reasoningOnly = createRow(MOST_RETRIES)
  const malformed = createRow(MOST_RETRIES)
  const written = createRow(MOST_RETRIES)
  const failedTool = createRow(MOST_RETRIES)
  let nudges = 0
  let pending: Pending | undefined
  let toolFailed = false
  let retrying = false

  const exit = (verdict: Verdict): Course => ({ kind: 'exit', verdict })
  const claim = (reason: Verdict['reason'], summary: string): Course => ({ kind: 'claim', verdict: { reason, summary } })

  const nudge = (text: string): Course => {
    if (quiet) return exit(nudgeExhaustion(0))
    if (nudges >= maxNudges) return exit(nudgeExhaustion(maxNudges))
    nudges++
    return { kind: 'on', note: { name: 'nudge', data: { attempt: nudges, max: maxNudges } }, reminder: text }
  }

  const afterTools = (outcomes: readonly StepOutcome[]): Course => {
    toolFailed = outcomes.some(({ isError, code }) => isError && code !== 'DUPLICATE')
    if (outcomes.some(({ isError }) => !isError)) nudges = 0
    const says = (signal: 'awaitingUser' | 'setupComplete'): boolean => outcomes.some(({ signals }) => signals[signal])
    const reported = outcomes.findLast(({ signals }) => signals.statusComplete || signals.statusResult) // of two reports the last one stands
    const { statusComplete, statusResult } = reported?.signals ?? {}
    if (statusResult !== undefined || statusComplete) {
      const status = statusResult ?? { task: '', done: '', remaining: '', complete: true, hasExplicitFlag: true }
      pending = { status, complete: statusComplete === true || (status.hasExplicitFlag ? status.complete : isNothing(status.remaining)) }
    }
    if (says('awaitingUser')) return exit({ reason: 'awaiting_user', summary: 'Waiting for an answer of the person.' })
    if (says('setupComplete')) return claim('setup_complete', 'The setup is complete.')
    if (statusComplete) return claim('status_complete_post_tool', accepted(statusResult))
    if (statusResult !== undefined && !statusResult.hasExplicitFlag && isNothing(statusResult.remaining))
      return claim('status_remaining_empty', accepted(statusResult))
    return { kind: 'on' }
  }

  const afterWrittenCall = ({ form, tool }: NonNullable<Findings['writtenCall']>, reporting: texts.Reporting): Course => {
    const again = written.next()
    const { attempt: retry, total: totalFailures } = written
    const reminder = texts.writtenCall(form, tool, totalFailures > MOST_RETRIES)
    if (!again) return nudge(`${reminder}\n${texts.howToReport(reporting)}`)
    const data = { retry, maxRetries: MOST_RETRIES, totalFailures, form }
    return { kind: 'on', note: { name: 'malformed_tool_call', data }, reminder }
  }

  const afterText = (text: string, facts: StepFacts, { writtenCall, reporting }: Findings): Course => {
    toolFailed = false
    if (quiet) return exit({ reason: 'agent_type_exit', summary: text })
    if (pending?.complete) return claim(pending.status.hasExplicitFlag ? 'status_complete' : 'status_remaining_empty', text)
    if (pending !== undefined) {
      const { remaining } = pending.status
      pending = undefined // the nudges began anew with the report itself: it was a call that succeeded
      return { kind: 'on', reminder: texts.workRemains(isNothing(remaining) ? '' : remaining) }
    }
    if (kind === 'interview') return exit({ reason: 'awaiting_user', summary: text })
    if (facts.finish === 'max-tokens') return nudge(texts.cutOff())
    return writtenCall === undefined ? nudge(texts.nudge(reporting)) : afterWrittenCall(writtenCall, reporting)
  }

  const afterNothing = (facts: StepFacts, { reporting }: Findings): Course => {
    if (facts.finish === 'max-tokens') return nudge(texts.cutOff())
    if (hasReasoning(facts.content)) {
      if (!reasoningOnly.next()) return nudge(texts.silent(reporting))
      const data = { attempt: reasoningOnly.attempt, max: MOST_RETRIES }
      return { kind: 'on', note: { name: 'reasoning_only_retry', data }, reminder: texts.onlyReasoning() }
    }
    if (toolFailed && failedTool.next()) {
      retrying = true
      const data = { attempt: failedTool.attempt, max: MOST_RETRIES }
      return { kind: 'on', note: { name: 'tool_error_retry', data }, reminder: texts.retryFailed() }
    }
    return nudge(texts.silent(reporting))
  }

  const afterWrongTool = ({ name, right, names }: NonNullable<Findings['wrongTool']>, reporting: texts.Reporting): Course => {
    const reminder = texts.wrongTool(name, right, names)
    if (!malformed.next()) return nudge(`${reminder}\n${texts.howToReport(reporting)}`)
    const data = { retry: malformed.attempt, maxRetries: MOST_RETRIES, totalFailures: malformed.total, invalidToolName: name }
    return { kind: 'on', note: { name: 'malformed_tool_call', data }, reminder }
  }

  /** A row is broken by a reply of another sort. */
  const endRows = (text: string, facts: StepFacts, findings: Findings): void => {
    if (findings.wrongTool === undefined) malformed.end()
    if (findings.writtenCall === undefined) written.end()
    if (text !== '' || facts.outcomes.length > 0) {
      reasoningOnly.end()
      failedTool.end()
    }
  }

  return {
    after(facts, findings) {
      const text = textOf(facts.content)
      retrying = false
      endRows(text, facts, findings)
      if (findings.loop !== undefined) return exit(loopDetected(findings.loop))
      const course = facts.outcomes.length > 0 ? afterTools(facts.outcomes) : undefined
      // What the person just said comes first: no way out, and no word about the answer that crossed it.
      if (facts.steered) return { kind: 'on' }
      if (findings.wrongTool !== undefined && (course === undefined || course.kind === 'on'))
        return afterWrongTool(findings.wrongTool, findings.reporting)
      if (course !== undefined) return course
      return text !== '' ? afterText(text, facts, findings) : afterNothing(facts, findings)
    },
    sentBack(text) {
      pending = undefined
      return { kind: 'on', reminder: texts.sentBack(text) }
    },
    get retrying() {
      return retrying
    },
  }
}
