// Everything the page shows, as signals over the client: the truth is in the log, components hold none.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { AgentClient, Health } from './agent-client.ts'
import type { Appearance } from './appearance.ts'
import { createAppearance } from './appearance.ts'
import type { Asking } from './asking.ts'
import { createAsking } from './asking.ts'
import type { Clock } from './clock.ts'
import { createClock } from './clock.ts'
import type { CurrentSession } from './current-session.ts'
import { createCurrentSession } from './current-session.ts'
import type { Drafts } from './drafts.ts'
import { createDrafts } from './drafts.ts'
import type { Driving } from './driving.ts'
import { createDriving } from './driving.ts'
import type { Files } from './files.ts'
import { createFiles } from './files.ts'
import type { Forks } from './forks.ts'
import { createForks } from './forks.ts'
import { keepFresh } from './keep-fresh.ts'
import type { Keepsakes } from './keepsakes.ts'
import type { Layout } from './layout.ts'
import { createLayout } from './layout.ts'
import type { LocalModels } from './local-models.ts'
import { createLocalModels } from './local-models.ts'
import type { Models } from './models.ts'
import { createModels } from './models.ts'
import type { Modes } from './modes.ts'
import { createModes } from './modes.ts'
import type { Notices } from './notices.ts'
import { createNotices } from './notices.ts'
import type { Permissions } from './permissions.ts'
import { createPermissions } from './permissions.ts'
import type { QueueEdits } from './queue-edits.ts'
import { createQueueEdits } from './queue-edits.ts'
import type { Reminders } from './reminders.ts'
import { createReminders } from './reminders.ts'
import type { Removals } from './removals.ts'
import { createRemovals } from './removals.ts'
import { speakOfRuns } from './run-words.ts'
import type { Sending } from './sending.ts'
import { createSending } from './sending.ts'
import type { SaveFile, SessionFiles } from './session-files.ts'
import { createSessionFiles } from './session-files.ts'
import type { SessionList } from './session-list.ts'
import { createSessionList } from './session-list.ts'
import type { SessionSearch } from './session-search.ts'
import { createSessionSearch } from './session-search.ts'
import type { StorageFacts } from './storage-facts.ts'
import { createStorageFacts, sayDataLoss } from './storage-facts.ts'
import type { SummingUp } from './summing-up.ts'
import { createSummingUp } from './summing-up.ts'

/** Where the id of the session on the screen is kept, so that a reload and a bookmark find it: the page's address. */
export type Address = { read(): string | undefined; write(sessionId: string | undefined): void }

export type App = {
  readonly client: AgentClient
  readonly health: ReadonlySignal<Health>
  readonly list: SessionList
  readonly search: SessionSearch
  readonly removals: Removals
  readonly sessionFiles: SessionFiles
  readonly forks: Forks
  readonly driving: Driving
  readonly summingUp: SummingUp
  readonly storage: StorageFacts
  readonly current: CurrentSession
  readonly drafts: Drafts
  readonly sending: Sending
  readonly queueEdits: QueueEdits
  readonly asking: Asking
  readonly permissions: Permissions
  readonly reminders: Reminders
  readonly models: Models
  readonly localModels: LocalModels
  readonly modes: Modes
  readonly files: Files
  readonly layout: Layout
  readonly appearance: Appearance
  readonly notices: Notices
  readonly clock: Clock
  /** Loads what the first screen needs and opens the session that the address names, or the last one. */
  start(): Promise<void>
  dispose(): void
}

export type AppNeeds = {
  readonly client: AgentClient
  readonly keepsakes: Keepsakes
  readonly address: Address
  readonly root: HTMLElement
  readonly media: MediaQueryList
  readonly now: () => number
  readonly newId: () => string
  readonly saveFile: SaveFile
}

const LAST = 'last-session'

export const createApp = ({ client, keepsakes, address, root, media, now, newId, saveFile }: AppNeeds): App => {
  const notices = createNotices()
  const clock = createClock(now)
  const layout = createLayout(keepsakes, media)
  const appearance = createAppearance(keepsakes, root)
  const drafts = createDrafts(keepsakes)
  const current = createCurrentSession({
    client,
    onCreate: drafts.adopt,
    onChange(id) {
      address.write(id)
      keepsakes.set(LAST, id ?? '')
      drafts.show(id)
    },
  })
  const removals = createRemovals({ client, keepsakes, notices, onRemoved: () => list.refresh() })
  const list = createSessionList({ client, notices, hidden: removals.hidden, currentId: current.id })
  const search = createSessionSearch({ client, listing: list.listing, hidden: removals.hidden })
  const models = createModels({ client, current, notices, newId })
  const storage = createStorageFacts(client)
  const localModels = createLocalModels({ client, models, storage, notices, layout })
  const sending = createSending({ current, drafts, newId, whyNot: models.whyNot })
  const sessionFiles = createSessionFiles({ client, list, current, notices, saveFile })
  const forks = createForks({ client, current, list, sending, notices, keepsakes })
  const driving = createDriving({ client, current, notices })
  const queueEdits = createQueueEdits({ current, drafts, notices })
  const asking = createAsking({ current, keepsakes, notices })
  const permissions = createPermissions(client, notices)
  const reminders = createReminders(keepsakes)
  const files = createFiles(client, current, layout.filesShown)
  const health = signal(client.health.state)
  const ends = [
    client.health.subscribe((state) => {
      health.value = state
    }),
    speakOfRuns({ current, asking, notices }),
    sayDataLoss(client, notices),
    keepFresh({ news: client.news, list, models, localModels, current, clock, page: root.ownerDocument }),
  ]

  return {
    client,
    health,
    list,
    search,
    removals,
    sessionFiles,
    forks,
    driving,
    storage,
    summingUp: createSummingUp({ current, notices }),
    current,
    drafts,
    sending,
    queueEdits,
    asking,
    permissions,
    reminders,
    models,
    localModels,
    modes: createModes(),
    files,
    layout,
    appearance,
    notices,
    clock,
    async start() {
      const wanted = address.read()
      if (wanted !== undefined) void current.open(wanted)
      await Promise.all([models.load(), list.refresh()])
      const { value } = list.listing
      const last = keepsakes.get(LAST)
      const isThere = value.kind === 'loaded' && value.sessions.some((session) => session.id === last)
      if (wanted === undefined && last !== undefined && isThere && current.opened.value.kind === 'none') await current.open(last)
      if (list.listing.value.kind === 'loaded') removals.resume(list.all())
    },
    dispose() {
      for (const end of ends) end()
      localModels.dispose()
      files.dispose()
      queueEdits.dispose()
      forks.dispose()
      removals.dispose()
      search.dispose()
      driving.dispose()
      appearance.dispose()
      clock.stop()
      client.close()
    },
  }
}
