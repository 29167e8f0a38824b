// What other tabs and work in the background change is looked at again when the worker tells of it, while the page can be seen.
import { effect } from '@preact/signals'
import type { AgentClient } from './agent-client.ts'
import type { Clock } from './clock.ts'
import type { CurrentSession } from './current-session.ts'
import type { LocalModels } from './local-models.ts'
import type { Models } from './models.ts'
import type { SessionList } from './session-list.ts'

type Kept = {
  readonly news: AgentClient['news']
  readonly list: Pick<SessionList, 'listing' | 'refresh'>
  readonly models: Pick<Models, 'load'>
  readonly localModels: Pick<LocalModels, 'look'>
  readonly current: Pick<CurrentSession, 'id'>
  readonly clock: Pick<Clock, 'second'>
  readonly page: Document
}

/** A tab that dies tells nobody: while another session is shown as running, the list is looked up again so often. In seconds. */
const SELDOM = 10

export const keepFresh = ({ news, list, models, localModels, current, clock, page }: Kept): (() => void) => {
  const refresh: Readonly<Record<string, () => Promise<void>>> = {
    sessions: list.refresh,
    providers: models.load,
    'chosen-model': models.load,
    'local-models': localModels.look,
    anything: () => Promise.all([list.refresh(), models.load(), localModels.look()]).then(() => {}),
  }
  /** What a page that cannot be seen has missed it looks at when it is shown. */
  const look = (about: string): void => {
    if (!page.hidden && Object.hasOwn(refresh, about)) void refresh[about]?.()
  }
  const onShown = (): void => look('anything')
  page.addEventListener('visibilitychange', onShown)
  let ticks = 0
  const ends = [
    news.subscribe(look),
    effect(() => {
      clock.second.value
      const listing = list.listing.peek()
      const others = listing.kind === 'loaded' && listing.sessions.some((row) => row.status === 'running' && row.id !== current.id.peek())
      ticks = others ? (ticks + 1) % SELDOM : 0
      if (others && ticks === 0) look('sessions')
    }),
    () => page.removeEventListener('visibilitychange', onShown),
  ]
  return () => {
    for (const end of ends) end()
  }
}
