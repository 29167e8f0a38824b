// Forks of the session on the screen: from an edge between two turns, as it is now, or with an earlier message in other words.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { ContentBlock, MessageId, SessionId } from '../../storage/log/content.ts'
import type { TaskKind } from '../../storage/log/events.ts'
import type { Transcript } from '../../storage/log/projections/transcript-items.ts'
import type { AgentClient } from './agent-client.ts'
import type { CurrentSession } from './current-session.ts'
import { besideWords, inOtherWords, wordsIn } from './message-words.ts'
import type { Notices } from './notices.ts'
import { sayFailure } from './say-failure.ts'
import type { Sending } from './sending.ts'
import type { SessionList } from './session-list.ts'

/** A message that is being put in other words. `seq`: its place in the log. */
export type Rewording = {
  readonly sessionId: SessionId
  readonly id: MessageId
  readonly seq: number
  readonly content: readonly ContentBlock[]
  readonly text: string
  /** It was the prompt of such a task run, and is one again. */
  readonly task?: TaskKind | undefined
  readonly failure?: string
}

export type Forks = {
  readonly rewording: ReadonlySignal<Rewording | undefined>
  readonly isBusy: ReadonlySignal<boolean>
  /** Opens a fork that has everything before that seq. */
  at(beforeSeq: number): Promise<void>
  /** Opens a fork that has everything that is stored by now. */
  now(): Promise<void>
  begin(message: Pick<Rewording, 'id' | 'seq' | 'content'>): void
  write(text: string): void
  leave(): void
  /** Sends it in a fork that ends right before it; the session itself stays as it is. */
  resend(): Promise<void>
}

type Needs = {
  readonly client: AgentClient
  readonly current: CurrentSession
  readonly list: SessionList
  readonly sending: Sending
  readonly notices: Notices
}

export const createForks = ({ client, current, list, sending, notices }: Needs): Forks => {
  const rewording = signal<Rewording | undefined>(undefined)
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
    begin(message) {
      const sessionId = current.id.peek()
      const transcript = current.transcript.peek()
      if (sessionId === undefined || transcript === undefined) return
      rewording.value = { ...message, sessionId, text: wordsIn(message.content), task: taskOf(transcript, message.id) }
    },
    write(text) {
      const now = rewording.peek()
      if (now !== undefined) rewording.value = { ...now, text }
    },
    leave() {
      rewording.value = undefined
    },
    async resend() {
      const edit = rewording.peek()
      const text = edit?.text.trim() ?? ''
      if (edit === undefined || isBusy.peek() || (text === '' && besideWords(edit.content).length === 0)) return
      try {
        await open(edit.sessionId, edit.seq)
      } catch (error) {
        if (rewording.peek()?.id === edit.id) rewording.value = { ...edit, text: edit.text, failure: `Not sent. ${sayFailure(error)}` }
        return
      }
      rewording.value = undefined
      await sending.send(text, 'turn', { task: edit.task, content: inOtherWords(edit.content, text) })
    },
  }
}

/** A run says that it began right before its prompt. */
const taskOf = ({ pages, open }: Transcript, id: MessageId): TaskKind | undefined => {
  const items = [...pages.flat(), ...open]
  const before = items[items.findIndex((item) => item.kind === 'user' && item.id === id) - 1]
  return before?.kind === 'task-started' ? before.task : undefined
}
