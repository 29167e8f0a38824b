// The line above the conversation: which session this is and what can be done with it, who drives it, what it cost, and the panels.
import { useRef, useState } from 'preact/hooks'
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import type { SessionListed } from '../state/agent-client.ts'
import { sayProgress } from '../state/run-words.ts'
import { useApp } from './app-context.tsx'
import { DriverChip } from './driver-chip.tsx'
import { FolderIcon, MenuIcon, PlusIcon } from './icons.tsx'
import { MenuButton } from './menu-button.tsx'
import { RenameField } from './rename-field.tsx'
import { exportEntry, forkEntry, originalEntry, removeEntry, renameEntry, sumUpEntry, takeOverEntry } from './session-entries.ts'
import { useFocusHandover } from './use-focus-handover.ts'

export const TopBar = () => {
  const { layout, current, list } = useApp()
  const [renamed, setRenamed] = useState<string | undefined>(undefined)
  const narrow = layout.narrow.value
  const id = current.id.value
  const row = list.row.value
  const title = withoutHiddenMarks(row?.title ?? '')
  const isRenaming = row !== undefined && renamed === row.id
  return (
    <header class="top">
      {narrow ? (
        <button
          type="button"
          class="icon-button"
          aria-label="Sessions"
          aria-expanded={layout.drawer.value === 'sessions'}
          onClick={() => layout.toggle('sessions')}
        >
          <MenuIcon />
        </button>
      ) : null}
      <h1 class={isRenaming ? 'hidden' : 'top__title'}>{id === undefined ? 'New session' : title === '' ? 'Untitled' : title}</h1>
      {isRenaming ? <RenameTitle session={row} onEnd={() => setRenamed(undefined)} /> : null}
      <DriverChip />
      <RunWords />
      <UsageWords priced={row?.cost ?? null} />
      {row === undefined ? null : <SessionMenu session={row} onRename={() => setRenamed(row.id)} />}
      {narrow && id !== undefined ? (
        <button type="button" class="icon-button" aria-label="New session" onClick={current.startNew}>
          <PlusIcon />
        </button>
      ) : null}
      <button
        type="button"
        class="icon-button"
        aria-label="Files"
        title="Files"
        aria-expanded={layout.filesShown.value}
        onClick={() => layout.toggle('files')}
      >
        <FolderIcon />
      </button>
    </header>
  )
}

const RenameTitle = (props: { readonly session: SessionListed; readonly onEnd: () => void }) => {
  const place = useRef<HTMLSpanElement>(null)
  useFocusHandover(place, () => ['.top [aria-haspopup=menu]'])
  return (
    <span class="top__rename" ref={place}>
      <RenameField {...props} />
    </span>
  )
}

const SessionMenu = ({ session, onRename }: { readonly session: SessionListed; readonly onRename: () => void }) => {
  const app = useApp()
  const entries = () => [
    renameEntry(onRename),
    forkEntry(app),
    ...originalEntry(app, session),
    ...takeOverEntry(app),
    sumUpEntry(app),
    exportEntry(app, session),
    removeEntry(app, session),
  ]
  return <MenuButton label="What to do with this session" entries={entries} />
}

/** What the conversation may have scrolled away: a task's progress, and that the agent waits for the person. */
const RunWords = () => {
  const { current } = useApp()
  const { task } = current.run.value
  const phase = current.phase.value
  if (phase === 'waiting')
    return (
      <span class="top__run" data-waiting>
        Waiting for you
      </span>
    )
  return task === undefined || phase !== 'running' ? null : <span class="top__run">{sayProgress(task)}</span>
}

/** `priced`: by the price table, for what the vendor put no price on. */
const UsageWords = ({ priced }: { readonly priced: number | null }) => {
  const { current } = useApp()
  const usage = current.view.value?.usage
  if (usage === undefined) return null
  const tokens =
    usage.total.inputTokens + usage.total.outputTokens + (usage.total.cacheReadTokens ?? 0) + (usage.total.cacheWriteTokens ?? 0)
  if (tokens === 0) return null
  const cost = usage.cost ?? priced
  return (
    <span class="top__usage" title="Tokens in all calls of this session, as the model counted them">
      {tokens.toLocaleString()} tokens{cost === null ? '' : ` · $${cost.toFixed(cost < 0.1 ? 4 : 2)}`}
    </span>
  )
}
