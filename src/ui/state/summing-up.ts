// Summing up the older part of the session when the person asks for it, and how that ended.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { CompactionEnd } from '../../storage/log/projections/transcript-items.ts'
import type { CurrentSession } from './current-session.ts'
import type { Notices } from './notices.ts'
import { sayFailure } from './say-failure.ts'

export type SummingUp = { readonly isBusy: ReadonlySignal<boolean>; start(): Promise<void> }

const SAID: Record<CompactionEnd['outcome'], string> = {
  done: 'Older messages are summed up: the agent reads the summary, and you still see all of it.',
  unchanged: 'Nothing was summed up.',
  failed: 'The older messages could not be summed up.',
  aborted: 'Summing up was stopped. Nothing changed.',
}

export const createSummingUp = ({ current, notices }: { readonly current: CurrentSession; readonly notices: Notices }): SummingUp => {
  const isBusy = signal(false)
  return {
    isBusy,
    async start() {
      const opened = current.opened.peek()
      if (opened.kind !== 'open' || isBusy.peek()) return
      isBusy.value = true
      try {
        const { outcome, detail } = await opened.session.compact()
        const text = detail === undefined || outcome === 'done' || outcome === 'aborted' ? SAID[outcome] : `${SAID[outcome]} ${detail}`
        notices.show({ kind: outcome === 'failed' ? 'error' : 'plain', text })
      } catch (error) {
        notices.show({ kind: 'error', text: `${SAID.failed} ${sayFailure(error)}` })
      } finally {
        isBusy.value = false
      }
    },
  }
}
