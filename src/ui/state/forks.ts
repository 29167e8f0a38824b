// Forks of the session on the screen: from an edge between two turns, as it is now, or with an earlier message in other words.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import type { AgentClient } from './agent-client.ts'
import type { CurrentSession } from './current-session.ts'
import type { Keepsakes } from './keepsakes.ts'
import { besideWords, inOtherWords } from './message-words.ts'
import type { Notices } from './notices.ts'
import type { Rewording, Rewordings } from './rewording.ts'
import { createRewordings } from './rewording.ts'
import { sayFailure } from './say-failure.ts'
import type { Sending } from './sending.ts'
import type { SessionList } from './session-list.ts'

export type Forks = {
  readonly rewording: ReadonlySignal<Rewording | undefined>
  readonly isBusy: ReadonlySignal<boolean>
  /** Opens a fork that has everything before that seq. */
  at(beforeSeq: number): Promise<void>
  /** Opens a fork that has everything that is stored by now. */
  now(): Promise<void>
  begin: Rewordings['begin']
  write: Rewordings['write']
  leave(): void
  /** Sends it in a fork that ends right before it; the session itself stays as it is. */
  resend(): Promise<void>
  dispose(): void
}

type Needs = {
  readonly client: AgentClient
  readonly current: CurrentSession
  readonly list: SessionList
  readonly sending: Sending
  readonly notices: Notices
  readonly keepsakes: Keepsakes
}

export const createForks = ({ client, current, list, sending, notices, keepsakes }: Needs): Forks => {
  const { rewording, begin, write, fail, end, dispose } = createRewordings({ current, keepsakes })
  const isBusy = signal(false)

  /** The fork on the screen. Rejects with why there is none. */
  const open = async (sessionId: SessionId, beforeSeq: number): Promise<void> => {
    isBusy.value = true
    try {
      const id = await client.sessions.fork(sessionId, beforeSeq)
      await Promise.all([list.refresh(), current.open(id)])
    } finally {
      isBusy.value = false
    }
  }
  const at = async (beforeSeq: number): Promise<void> => {
    const sessionId = current.id.peek()
    if (sessionId === undefined || isBusy.peek()) return
    const goesOn = current.phase.peek() === 'running'
    try {
      await open(sessionId, beforeSeq)
      if (goesOn) notices.show({ kind: 'plain', text: 'This is the fork. The original goes on with its work.' })
      else notices.speak('This is the fork. The original stays as it was.') // the seam tells it to the eye
    } catch (error) {
      notices.show({ kind: 'error', text: `The session was not forked. ${sayFailure(error)}` })
    }
  }

  return {
    rewording,
    isBusy,
    at,
    now: () => at(current.view.peek()?.stored ?? 0),
    begin,
    write,
    leave: () => end(rewording.peek()),
    dispose,
    async resend() {
      const edit = rewording.peek()
      const text = edit?.text.trim() ?? ''
      if (edit === undefined || isBusy.peek() || (text === '' && besideWords(edit.content).length === 0)) return
      try {
        await open(edit.sessionId, edit.seq)
      } catch (error) {
        fail(edit, `Not sent. ${sayFailure(error)}`)
        return
      }
      end(edit)
      await sending.send(text, 'turn', { task: edit.task, content: inOtherWords(edit.content, text) })
    },
  }
}
