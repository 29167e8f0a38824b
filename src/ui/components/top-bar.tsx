// The line above the conversation: which session this is, what it cost, and its panels.
import { withoutTurnMarks } from '../markdown/turn-marks.ts'
import { sayProgress } from '../state/run-words.ts'
import { useApp } from './app-context.tsx'
import { FolderIcon, MenuIcon, PlusIcon } from './icons.tsx'

export const TopBar = () => {
  const { layout, current, list } = useApp()
  const narrow = layout.narrow.value
  const id = current.id.value
  const listing = list.listing.value
  const row = listing.kind === 'loaded' ? listing.sessions.find((session) => session.id === id) : undefined
  const title = withoutTurnMarks(row?.title ?? '')
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
      <h1 class="top__title">{id === undefined ? 'New session' : title === '' ? 'Untitled' : title}</h1>
      <RunWords />
      <UsageWords priced={row?.cost ?? null} />
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
