// Sessions as files: saved to the person's disk, and brought in from there.
import type { ReadonlySignal } from '@preact/signals'
import { computed, signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import type { AgentClient } from './agent-client.ts'
import type { CurrentSession } from './current-session.ts'
import type { Notice, Notices } from './notices.ts'
import { sayFailure } from './say-failure.ts'
import type { SessionList } from './session-list.ts'

/** Gives a file to the person, as a download does. */
export type SaveFile = (name: string, file: Blob) => void

export type SessionFiles = {
  /** Something is being written or read. */
  readonly isBusy: ReadonlySignal<boolean>
  export(id: SessionId, title: string): Promise<void>
  exportAll(): Promise<void>
  /** One after the other; what one of them holds is opened, and each that was refused is told with its reason. */
  import(files: readonly File[]): Promise<void>
}

/** What is done sooner is not worth a word before. In milliseconds. */
const SOON = 400

type Needs = {
  readonly client: AgentClient
  readonly list: SessionList
  readonly current: CurrentSession
  readonly notices: Notices
  readonly saveFile: SaveFile
}

export const createSessionFiles = ({ client, list, current, notices, saveFile }: Needs): SessionFiles => {
  const running = signal(0)

  /** Says that it goes on, if it does for long, and why it failed. */
  const attempt = async <T>(doing: string, failed: string, work: () => Promise<T>): Promise<T | undefined> => {
    const notice: Notice = { kind: 'busy', text: `${doing}…` }
    const timer = setTimeout(() => notices.show(notice), SOON)
    running.value += 1
    try {
      return await work()
    } catch (error) {
      notices.show({ kind: 'error', text: `${failed} ${sayFailure(error)}` })
      return undefined
    } finally {
      clearTimeout(timer)
      notices.dismiss(notice)
      running.value -= 1
    }
  }

  return {
    isBusy: computed(() => running.value > 0),
    async export(id, title) {
      const made = await attempt(`Exporting “${title}”`, `“${title}” was not exported.`, () => client.sessions.export(id))
      if (made !== undefined) saveFile(made.name, made.file)
    },
    async exportAll() {
      const made = await attempt('Exporting all sessions', 'The sessions were not exported.', () => client.sessions.exportAll())
      if (made === undefined) return
      saveFile(made.name, made.file)
      if (made.skipped.length > 0) notices.show({ kind: 'error', text: saySkipped(made.skipped) })
    },
    async import(files) {
      const before = current.id.peek()
      const imported: { readonly sessionId: SessionId; readonly title: string }[] = []
      for (const [at, file] of files.entries()) {
        const doing = `Importing “${file.name}”${files.length === 1 ? '' : ` (${at + 1} of ${files.length})`}`
        const made = await attempt(doing, `“${file.name}” was not imported.`, () => client.sessions.import(file))
        imported.push(...(made?.sessions ?? []))
      }
      const [first] = imported
      if (first === undefined) return
      await list.refresh()
      notices.show({
        kind: 'plain',
        text: imported.length === 1 ? `Imported “${first.title || 'Untitled'}”.` : `Imported ${imported.length} sessions.`,
      })
      // Who has gone on to something else meanwhile finds them in the list.
      if (current.id.peek() === before) await current.open(first.sessionId)
    },
  }
}

const NAMED = 3

const saySkipped = (skipped: readonly { readonly title: string; readonly message: string }[]): string => {
  const named = skipped.slice(0, NAMED).map(({ title, message }) => `“${title || 'Untitled'}”: ${message}`)
  const more = skipped.length > NAMED ? [`And ${skipped.length - NAMED} more.`] : []
  const head =
    skipped.length === 1
      ? 'One session could not be read and is not in the file.'
      : `${skipped.length} sessions could not be read and are not in the file.`
  return [head, ...named, ...more].join('\n')
}
