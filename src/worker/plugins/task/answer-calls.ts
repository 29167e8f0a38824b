// Stands in the way of a run's tool calls: what may not write is refused, what goes round in circles is answered without being run.
import type { Disposer } from '../../hooks/agent.ts'
import type { Execution, PostExecute, ToolOutcome } from '../../hooks/tool.ts'
import type { Round } from './circles.ts'
import { isStopped, type Run } from './run.ts'
import { cycleEnd, cycleWarning, duplicate } from './texts.ts'
import { refusalOfWrite } from './write-guard.ts'

const notRun = (text: string): ToolOutcome => ({
  content: [{ type: 'text', text: `Error: ${text}` }],
  isError: true,
  error: { name: 'DuplicateCall', code: 'DUPLICATE' },
})

const answerOf = (run: Run, round: Round | undefined): ToolOutcome | undefined => {
  if (round?.kind === 'duplicate') return notRun(duplicate(round.count, run.options.maxDuplicateToolCalls))
  return round?.kind === 'cycle' ? notRun(cycleEnd(round.length)) : undefined
}

export const answerCalls = (run: Run): readonly Disposer[] => {
  const { agent, home } = run
  const roundOf = ({ agent: caller, callId }: Execution): Round | undefined =>
    caller === agent && !isStopped(run) ? run.rounds.get(callId) : undefined

  return [
    home.tools.guard((execution) => (execution.agent === agent ? refusalOfWrite(home.tools, execution) : undefined)),
    // Nobody is asked for permission to do what is not done.
    home.on(
      'tools/pre-execute',
      async (execution, next) => (answerOf(run, roundOf(execution)) === undefined ? next() : { kind: 'allow' }),
      { prepend: true },
    ),
    home.on('tools/execute', async (execution, next) => answerOf(run, roundOf(execution)) ?? next(), { prepend: true }),
    home.on('tools/post-execute', async (execution, outcome, next): Promise<PostExecute> => {
      const verdict = await next()
      const round = roundOf(execution)
      if (round?.kind !== 'warning' || verdict.kind !== 'accept') return verdict
      run.circles.warned()
      return { ...verdict, content: [...(verdict.content ?? outcome.content), { type: 'text', text: cycleWarning(round.length) }] }
    }),
  ]
}
