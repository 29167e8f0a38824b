// Questions to the person: the question is an event, the answer is an event, and between them the call is parked.
import { SideloopError } from '../../../storage/log/errors.ts'
import type { Plugin } from '../../loop/scope.ts'
import { askUser } from '../../tools/ask-user.ts'
import { awaitEvent, eventOfCall } from './await-event.ts'

/** Mounts the tool `ask_user`. */
export const questions: Plugin = (scope) => {
  scope.tools.register(
    askUser({
      async ask({ agent, callId, signal }, asked) {
        if (agent === undefined) throw new SideloopError('command/invalid', 'Only an agent can ask the person')
        const { session } = agent
        // After a reload the call runs again: its question is in the log already, and perhaps its answer.
        if (eventOfCall(session, 'question/asked', callId) === undefined) session.append('question/asked', { callId, questions: asked })
        try {
          return (await awaitEvent(scope, session, 'question/answered', callId, signal)).data.answers
        } catch (error) {
          session.append('question/answered', { callId, answers: null }) // a stop leaves nothing pending
          throw error
        }
      },
    }),
  )
}
