// An earlier message that is being put in other words: kept per session, so that neither a reload nor a look at another session loses it.
import type { ReadonlySignal } from '@preact/signals'
import { effect, signal } from '@preact/signals'
import type { ContentBlock, MessageId, SessionId } from '../../storage/log/content.ts'
import type { TaskKind } from '../../storage/log/events.ts'
import type { Transcript } from '../../storage/log/projections/transcript-items.ts'
import type { CurrentSession } from './current-session.ts'
import type { Keepsakes } from './keepsakes.ts'
import { wordsIn } from './message-words.ts'

/** `seq`: its place in the log. */
export type Rewording = {
  readonly sessionId: SessionId
  readonly id: MessageId
  readonly seq: number
  readonly content: readonly ContentBlock[]
  readonly text: string
  /** It was the prompt of such a task run, and is one again. */
  readonly task?: TaskKind | undefined
  readonly failure?: string
  /** A person asked for it just now; one that was kept takes the focus from nobody. */
  readonly isNew?: true
}

export type Rewordings = {
  /** Of the session on the screen. */
  readonly rewording: ReadonlySignal<Rewording | undefined>
  begin(message: Pick<Rewording, 'id' | 'seq' | 'content'>): void
  write(text: string): void
  fail(edit: Rewording, failure: string): void
  /** It was sent, or is not wanted any more. */
  end(edit: Rewording | undefined): void
  dispose(): void
}

type Kept = Pick<Rewording, 'id' | 'text'>
type Needs = { readonly current: Pick<CurrentSession, 'id' | 'transcript'>; readonly keepsakes: Keepsakes }

const nameOf = (id: SessionId): string => `reworded.${id}`

export const createRewordings = ({ current, keepsakes }: Needs): Rewordings => {
  const rewording = signal<Rewording | undefined>(undefined)
  /** Kept, and its message not there yet: of a long session the newest part comes first. */
  let sought: Kept | undefined

  const set = (edit: Rewording): void => {
    rewording.value = edit
    keepsakes.set(nameOf(edit.sessionId), JSON.stringify({ id: edit.id, text: edit.text } satisfies Kept))
  }
  const enter = effect(() => {
    const id = current.id.value
    rewording.value = undefined
    sought = id === undefined ? undefined : readKept(keepsakes.get(nameOf(id)))
  })
  const find = effect(() => {
    const sessionId = current.id.value
    const transcript = current.transcript.value
    if (sought === undefined || sessionId === undefined || transcript === undefined) return
    const found = messageIn(transcript, sought.id)
    if (found === undefined) return
    rewording.value = { ...found, ...sought, sessionId }
    sought = undefined
  })

  return {
    rewording,
    begin(message) {
      const sessionId = current.id.peek()
      const transcript = current.transcript.peek()
      if (sessionId === undefined || transcript === undefined) return
      sought = undefined
      set({ ...message, sessionId, text: wordsIn(message.content), task: messageIn(transcript, message.id)?.task, isNew: true })
    },
    write(text) {
      const now = rewording.peek()
      if (now !== undefined) set({ ...now, text })
    },
    fail(edit, failure) {
      if (rewording.peek()?.id === edit.id) rewording.value = { ...edit, failure }
    },
    end(edit) {
      if (edit === undefined) return
      keepsakes.set(nameOf(edit.sessionId), '')
      if (rewording.peek()?.id === edit.id) rewording.value = undefined
    },
    dispose() {
      enter()
      find()
    },
  }
}

/** What another version kept, or nobody, is nothing. */
const readKept = (kept: string | undefined): Kept | undefined => {
  try {
    const read: unknown = JSON.parse(kept ?? 'null')
    if (typeof read !== 'object' || read === null || !('id' in read && 'text' in read)) return undefined
    const { id, text } = read
    return typeof id === 'string' && typeof text === 'string' ? { id, text } : undefined
  } catch {
    return undefined
  }
}

/** A run says that it began right before its prompt. */
const messageIn = ({ pages, open }: Transcript, id: MessageId): Pick<Rewording, 'seq' | 'content' | 'task'> | undefined => {
  const items = [...pages.flat(), ...open]
  const at = items.findIndex((item) => item.kind === 'user' && item.id === id)
  const item = items[at]
  const before = items[at - 1]
  if (item?.kind !== 'user') return undefined
  return { seq: item.seq, content: item.content, task: before?.kind === 'task-started' ? before.task : undefined }
}
