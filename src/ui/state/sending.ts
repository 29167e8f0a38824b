// Messages between the composer and the log: shown as sending until the worker has them on disk, given back when it refuses.
import type { ReadonlySignal } from '@preact/signals'
import { computed, effect, signal } from '@preact/signals'
import type { ContentBlock, MessageId, SessionId } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { TaskKind } from '../../storage/log/events.ts'
import { jsonEqual } from '../../storage/log/lossless-json.ts'
import { titleFrom } from '../../storage/log/title-from.ts'
import { MOST_CHARACTERS } from '../../worker/protocol/limits.ts'
import type { AgentSession, SessionView } from './agent-client.ts'
import type { CurrentSession } from './current-session.ts'
import type { Drafts } from './drafts.ts'
import { sayFailure } from './say-failure.ts'

/** `how`: a turn of its own, or steering of the running one. `acknowledged`: on disk, and on its way to the view. */
export type Outgoing = {
  readonly id: MessageId
  readonly content: string | readonly ContentBlock[]
  readonly how: 'turn' | 'step'
  readonly sessionId: SessionId | undefined
  readonly acknowledged: boolean
}

export type Sending = {
  /** Of the session on the screen, and not yet to be seen in its view. */
  readonly outgoing: ReadonlySignal<readonly Outgoing[]>
  /** Why the last message came back; cleared by the next one. */
  readonly failure: ReadonlySignal<string | undefined>
  send(text: string, how: 'turn' | 'step', more?: More): Promise<void>
}

/** `task`: as a task run of that kind instead of a message. `pasted`: long texts that go along. `content`:
 * the whole message, where that is more. */
type More = {
  readonly task?: TaskKind | undefined
  readonly pasted?: readonly string[]
  readonly content?: readonly ContentBlock[]
}

/** Characters of the first message that name its session. */
const TITLE = 60

type Needs = {
  readonly current: CurrentSession
  readonly drafts: Drafts
  readonly newId: () => MessageId
  /** Why no message can be answered now, and what to do. */
  readonly whyNot: () => Promise<string | undefined>
}

export const createSending = ({ current, drafts, newId, whyNot }: Needs): Sending => {
  const all = signal<readonly Outgoing[]>([])
  const failure = signal<string | undefined>(undefined)
  let refused: { readonly id: MessageId; readonly content: Outgoing['content'] } | undefined

  const change = (id: MessageId, changed: Partial<Outgoing>): void => {
    all.value = all.value.map((message) => (message.id === id ? { ...message, ...changed } : message))
  }
  const drop = (isGone: (message: Outgoing) => boolean): void => {
    const left = all.value.filter((message) => !isGone(message))
    if (left.length < all.value.length) all.value = left
  }
  // What the view shows by itself is not shown twice.
  effect(() => {
    const view = current.view.value
    if (view !== undefined && all.value.length > 0) drop((message) => isShown(view, message))
  })

  return {
    outgoing: computed(() => all.value.filter((message) => message.sessionId === current.id.value)),
    failure,
    async send(text, how, { task, pasted = [], content = withPasted(text, pasted) } = {}) {
      // The same again gets the same id: if the first try did arrive after all, it is not run twice.
      const id = refused !== undefined && jsonEqual(refused.content, content) ? refused.id : newId()
      failure.value = undefined
      refused = undefined
      all.value = [...all.value, { id, content, how, sessionId: current.id.value, acknowledged: false }]
      try {
        if (longest(content) > MOST_CHARACTERS) throw tooLong(longest(content))
        const why = await whyNot()
        if (why !== undefined) throw new SideloopError('command/invalid', why)
        const session = await current.ensure(titleFrom(text === '' ? (pasted[0] ?? '') : text, TITLE))
        change(id, { sessionId: session.id })
        await deliver(session, content, { messageId: id }, task ?? how)
        change(id, { acknowledged: true })
      } catch (error) {
        drop((message) => message.id === id)
        if (isKept(error)) {
          failure.value = `Not saved yet. ${sayFailure(error)}`
          return
        }
        refused = { id, content }
        drafts.giveBack(text, pasted)
        failure.value = `Not sent. ${sayFailure(error)}`
      }
    },
  }
}

/** Its turn had begun with it when the store failed: it is no draft again, for it goes on with that turn. */
const isKept = (error: unknown): boolean =>
  error instanceof SideloopError && typeof error.details === 'object' && error.details !== null && 'kept' in error.details

const longest = (content: Outgoing['content']): number =>
  typeof content === 'string' ? content.length : Math.max(0, ...content.map((block) => (block.type === 'text' ? block.text.length : 0)))

const tooLong = (length: number): SideloopError =>
  new SideloopError(
    'command/invalid',
    `It has ${length.toLocaleString()} characters, and a message may have ${MOST_CHARACTERS.toLocaleString()}. Send a part of it.`,
  )

const withPasted = (text: string, pasted: readonly string[]): Outgoing['content'] =>
  pasted.length === 0 ? text : [text, ...pasted].filter((piece) => piece !== '').map((piece) => ({ type: 'text', text: piece }))

type Options = { readonly messageId: MessageId }

const deliver = (session: AgentSession, content: Outgoing['content'], options: Options, as: TaskKind | 'turn' | 'step'): Promise<void> => {
  if (as === 'turn') return session.send(content, options)
  return as === 'step' ? session.steer(content, options) : session.run(content, { kind: as }, options)
}

const isShown = (view: SessionView, message: Outgoing): boolean => {
  const { open, pages } = view.transcript
  const newest = [...(pages.at(-2) ?? []), ...(pages.at(-1) ?? []), ...open]
  return (
    view.live?.waiting.some((waiting) => waiting.id === message.id) === true ||
    newest.some((item) => 'id' in item && item.id === message.id)
  )
}
