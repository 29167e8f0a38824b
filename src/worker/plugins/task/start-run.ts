// Begins a run for somebody who waits until its prompt is stored, not until it ends: its end is told by the log.
import type { ContentBlock, MessageId } from '../../../storage/log/content.ts'
import { SideloopError } from '../../../storage/log/errors.ts'
import type { Agent } from '../../hooks/agent.ts'
import { isBusy, launch } from './run-task.ts'
import { readTaskOptions, type TaskOptions } from './task-options.ts'

export type RunOrder = { readonly id: MessageId; readonly content: readonly ContentBlock[]; readonly options: TaskOptions }

const isKnown = ({ inbox, session }: Agent, id: MessageId): boolean =>
  inbox.unlogged.some((waiting) => waiting.id === id) ||
  session.events.some((event) => (event.type === 'user/message' || event.type === 'prompt/blocked') && event.data.id === id)

/**
 * The prompt waits in the inbox, or is in the log, when this returns. An id that is known already does nothing.
 * Errors: `command/invalid`, also while the agent is at work: a run is not queued, for what waits is kept as messages only.
 */
export const startRun = (agent: Agent, { id, content, options }: RunOrder): void => {
  if (isKnown(agent, id)) return
  readTaskOptions(options)
  if (isBusy(agent)) {
    throw new SideloopError('command/invalid', 'The agent is at work. Wait until it is done or stop it, then start the task.')
  }
  void launch({ agent, prompt: content, promptId: id, options, signal: undefined }) // never rejects
  if (!isKnown(agent, id)) throw new SideloopError('command/invalid', 'The task did not begin. Open the session again and try once more.')
}
