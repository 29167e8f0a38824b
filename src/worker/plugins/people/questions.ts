// Questions to the person: the question is an event, the answer is an event, and between them the call is parked.
import { SideloopError } from '../../../storage/log/errors.ts'
import type { Plugin } from '../../loop/scope.ts'
import type { AskUserOptions } from '../../tools/ask-user.ts'
import type { ToolDefinition } from '../../tools/tool.ts'
import { awaitEvent, eventOfCall } from './await-event.ts'

/** `tool`: makes the tool that asks (`ask_user`). */
export type QuestionsConfig = { readonly tool: (options: AskUserOptions) => ToolDefinition }

export const questions: Plugin<QuestionsConfig> = (scope, { tool }) => {
  scope.tools.register(
    tool({
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
