// The files of the session on the screen, looked up again whenever its tools may have changed them.
import type { ReadonlySignal } from '@preact/signals'
import { effect, signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import type { AgentClient, FileView } from './agent-client.ts'
import type { CurrentSession } from './current-session.ts'
import { sayFailure } from './say-failure.ts'

export type FileText =
  | { readonly kind: 'none' }
  | { readonly kind: 'loading'; readonly path: string }
  | { readonly kind: 'text'; readonly path: string; readonly text: string; readonly version: number }
  | { readonly kind: 'failed'; readonly path: string; readonly message: string }

export type Files = {
  readonly list: ReadonlySignal<readonly FileView[]>
  readonly failure: ReadonlySignal<string | undefined>
  readonly shown: ReadonlySignal<FileText>
  show(path: string | undefined): Promise<void>
  dispose(): void
}

/** Looks only while `wanted`. */
export const createFiles = (client: AgentClient, current: CurrentSession, wanted: ReadonlySignal<boolean>): Files => {
  const list = signal<readonly FileView[]>([])
  const failure = signal<string | undefined>(undefined)
  const shown = signal<FileText>({ kind: 'none' })
  let asked = 0

  const lookUp = async (sessionId: SessionId): Promise<void> => {
    const question = ++asked
    const answer = await client.host.files.list({ sessionId }).catch((error: unknown) => sayFailure(error))
    if (question !== asked) return // a newer look is on its way
    failure.value = typeof answer === 'string' ? answer : undefined
    if (typeof answer === 'string') return
    list.value = answer
    const open = shown.peek()
    if (open.kind === 'text' && answer.some((file) => file.path === open.path && file.version !== open.version)) await show(open.path)
  }
  const show = async (path: string | undefined): Promise<void> => {
    const sessionId = current.id.peek()
    if (path === undefined || sessionId === undefined) {
      shown.value = { kind: 'none' }
      return
    }
    const before = shown.peek()
    // A file that is read again stays on the screen meanwhile.
    const loading: FileText = before.kind === 'text' && before.path === path ? before : { kind: 'loading', path }
    shown.value = loading
    const next = await client.host.files.read({ sessionId, path }).then(
      ({ text, version }): FileText => ({ kind: 'text', path, text, version }),
      (error: unknown): FileText => ({ kind: 'failed', path, message: sayFailure(error) }),
    )
    if (shown.peek() === loading) shown.value = next
  }
  let lastId: SessionId | undefined
  const dispose = effect(() => {
    const id = current.opened.value.kind === 'open' ? current.id.value : undefined
    current.run.value // a tool began or ended
    if (id !== lastId) {
      list.value = []
      shown.value = { kind: 'none' }
    }
    lastId = id
    if (id !== undefined && wanted.value) void lookUp(id)
  })
  return { list, failure, shown, show, dispose }
}
