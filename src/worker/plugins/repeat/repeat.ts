// A guard for plain chat: the same call again and again is answered with a correction, and in the end the turn is ended (P-d01).
import type { SessionId } from '../../../storage/log/content.ts'
import { SideloopError } from '../../../storage/log/errors.ts'
import { fold } from '../../../storage/log/projection.ts'
import type { Session } from '../../hooks/agent.ts'
import type { Execution, ToolOutcome } from '../../hooks/tool.ts'
import type { Plugin } from '../../loop/scope.ts'
import { type RepeatLimits, type Repeats, repeats } from './count-repeats.ts'

export type RepeatOptions = Partial<RepeatLimits>

const correction = (name: string, count: number, { endAt }: RepeatLimits): string => {
  const last = count >= endAt - 1 ? ' If you make it once more, the turn ends.' : ''
  return `this is the same call of ${name} for the ${ordinal(count)} time in a row, with the same arguments, so it was not run again: the result would be the one above. Use that result, or do something different.${last}`
}

const ordinal = (n: number): string => (n === 3 ? 'third' : `${n}th`)

const corrected = (text: string): ToolOutcome => ({
  content: [{ type: 'text', text: `Error: ${text}` }],
  isError: true,
  error: { name: 'RepeatedCall', code: 'DUPLICATE' },
})

/**
 * The third identical call in a row is not run, and the fifth ends the turn, unless they all were written in one reply: then the model
 * had no word of it yet. A task run has rules of its own (T20), so the guard stands down while one is open. Holds for every agent of
 * the runtime, children too.
 */
export const repeat = (options: RepeatOptions = {}): Plugin => {
  const limits: RepeatLimits = { correctAt: 3, endAt: 5, ...options }
  return (scope) => {
    // A tool that looks whether something is done may be asked the same again.
    const counting = repeats(limits, (name) => scope.tools.get(name)?.polling === true)
    const states = new Map<SessionId, Repeats>()
    const follow = (session: Session): void => void states.set(session.id, fold(counting, session.events))
    for (const session of scope.sessions.list()) follow(session)
    scope.on('session/created', follow)
    scope.on('session/disposed', ({ id }) => void states.delete(id))
    scope.on('session/event', ({ id }, event) => {
      const state = states.get(id)
      if (state !== undefined) states.set(id, counting.apply(state, event))
    })

    const correctionOf = ({ agent, callId, name }: Execution): string | undefined => {
      const count = agent && states.get(agent.session.id)?.repeated.get(callId)
      return count === undefined ? undefined : correction(name, count, limits)
    }
    // Nobody is asked for permission to do what is not done.
    scope.on('tools/pre-execute', async (execution, next) => (correctionOf(execution) === undefined ? next() : { kind: 'allow' }), {
      prepend: true,
    })
    scope.on(
      'tools/execute',
      async (execution, next) => {
        const text = correctionOf(execution)
        return text === undefined ? next() : corrected(text)
      },
      { prepend: true },
    )
    scope.on('agent/turn-continuation', async ({ session }, _turn, _byDefault, next) => {
      const state = states.get(session.id)
      if (state?.over === undefined) return next()
      throw new SideloopError(
        'model/failed',
        `The model made the same call of ${state.over} ${limits.endAt} times in a row, so the turn was ended. Tell it what to do differently, or choose another model.`,
      )
    })
  }
}
