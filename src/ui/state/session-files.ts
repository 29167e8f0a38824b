// Sessions as files: saved to the person's disk, and brought in from there. Both say how far they are, and can be ended.
import type { ReadonlySignal } from '@preact/signals'
import { computed, signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import type { UnderWayOptions } from '../../worker/client/under-way.ts'
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

type Words = { readonly doing: string; readonly failed: string }

export const createSessionFiles = ({ client, list, current, notices, saveFile }: Needs): SessionFiles => {
  const running = signal(0)

  /** Says how far it is, if it takes long, and why it failed. The person ends it by `stop`, which others may share. */
  const attempt = async <T>(
    { doing, failed }: Words,
    stop: AbortController,
    work: (work: UnderWayOptions) => Promise<T>,
  ): Promise<T | undefined> => {
    const progress = signal(0)
    const act = { label: 'Cancel', run: () => stop.abort() }
    const notice: Notice = { kind: 'busy', text: `${doing}…`, progress, act }
    const timer = setTimeout(() => notices.show(notice), SOON)
    running.value += 1
    try {
      return await work({
        signal: stop.signal,
        onProgress(share) {
          progress.value = share
        },
      })
    } catch (error) {
      if (!stop.signal.aborted) notices.show({ kind: 'error', text: `${failed} ${sayFailure(error)}` })
      return undefined
    } finally {
      clearTimeout(timer)
      notices.dismiss(notice)
      running.value -= 1
    }
  }
  const sayStopped = (text: string): void => notices.show({ kind: 'plain', text })

  return {
    isBusy: computed(() => running.value > 0),
    async export(id, title) {
      const stop = new AbortController()
      const words = { doing: `Exporting “${title}”`, failed: `“${title}” was not exported.` }
      const made = await attempt(words, stop, (work) => client.sessions.export(id, work))
      if (stop.signal.aborted) sayStopped('Export cancelled. No file was made.')
      else if (made !== undefined) saveFile(made.name, made.file)
    },
    async exportAll() {
      const stop = new AbortController()
      const words = { doing: 'Exporting all sessions', failed: 'The sessions were not exported.' }
      const made = await attempt(words, stop, (work) => client.sessions.exportAll(work))
      if (stop.signal.aborted) return sayStopped('Export cancelled. No file was made.')
      if (made === undefined) return
      saveFile(made.name, made.file)
      if (made.skipped.length > 0) notices.show({ kind: 'error', text: saySkipped(made.skipped) })
    },
    async import(files) {
      const before = current.id.peek()
      const stop = new AbortController()
      const imported: { readonly sessionId: SessionId; readonly title: string }[] = []
      for (const [at, file] of files.entries()) {
        if (stop.signal.aborted) break
        const doing = `Importing “${file.name}”${files.length === 1 ? '' : ` (${at + 1} of ${files.length})`}`
        const words = { doing, failed: `“${file.name}” was not imported.` }
        const made = await attempt(words, stop, (work) => client.sessions.import(file, work))
        imported.push(...(made?.sessions ?? []))
      }
      const [first] = imported
      if (stop.signal.aborted) sayStopped(`Import cancelled. ${sayKept(imported.length)}`)
      if (first === undefined) return
      await list.refresh()
      if (stop.signal.aborted) return
      notices.show({
        kind: 'plain',
        text: imported.length === 1 ? `Imported “${first.title || 'Untitled'}”.` : `Imported ${imported.length} sessions.`,
      })
      // Who has gone on to something else meanwhile finds them in the list.
      if (current.id.peek() === before) await current.open(first.sessionId)
    },
  }
}

/** What was there before it was ended stays. */
const sayKept = (count: number): string => {
  if (count === 0) return 'Nothing was added.'
  return count === 1 ? 'One session was added before.' : `${count} sessions were added before.`
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
