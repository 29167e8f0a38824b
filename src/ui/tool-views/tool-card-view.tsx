// The card of one tool call: what it is, how it stands, and inside what went in and what came out.
import type { ComponentType } from 'preact'
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { useApp } from '../components/app-context.tsx'
import { ChevronIcon, CodeIcon, Dots, FileIcon, FolderIcon, QuestionIcon, TerminalIcon, ToolIcon } from '../components/icons.tsx'
import { kept } from '../components/kept.tsx'
import { sayDuration } from '../state/say-time.ts'
import { AskUserView } from './ask-user-view.tsx'
import { BashView } from './bash-view.tsx'
import { GenericToolView } from './generic-tool-view.tsx'
import { ListFilesView } from './list-files-view.tsx'
import { ReadFileView } from './read-file-view.tsx'
import { RunJsView } from './run-js-view.tsx'
import { sayAdvice, sayDecision, sayState, sayTool } from './tool-words.ts'
import { WriteFileView } from './write-file-view.tsx'

type View = { readonly body: ComponentType<{ card: ToolCard }>; readonly icon: ComponentType; readonly unfolded: boolean }

/** Another tool's view is its file and a row here. `unfolded`: what it shows is what the person came for. */
const VIEWS: Readonly<Record<string, View>> = {
  bash: { body: BashView, icon: TerminalIcon, unfolded: true },
  run_js: { body: RunJsView, icon: CodeIcon, unfolded: true },
  write_file: { body: WriteFileView, icon: FileIcon, unfolded: true },
  read_file: { body: ReadFileView, icon: FileIcon, unfolded: false },
  ask_user: { body: AskUserView, icon: QuestionIcon, unfolded: true },
  list_files: { body: ListFilesView, icon: FolderIcon, unfolded: false },
}
const GENERIC: View = { body: GenericToolView, icon: ToolIcon, unfolded: false }

export const ToolCardView = kept(({ card }: { readonly card: ToolCard }) => {
  const view = VIEWS[card.name] ?? GENERIC
  const { title, subject } = sayTool(card)
  const { state } = card
  const advice = sayAdvice(card)
  const decision = sayDecision(card)
  const { body: Body, icon: Icon } = view
  return (
    <details
      class="tool"
      data-item="tool"
      data-tool={card.name}
      data-state={state.kind}
      open={(view.unfolded && state.kind !== 'waiting') || state.kind === 'failed'}
    >
      <summary class="tool__head">
        <span class="tool__icon">
          <Icon />
        </span>
        <span class="tool__title">{title}</span>
        {subject === undefined ? null : <code class="tool__subject">{subject}</code>}
        <span class="tool__state">
          {state.kind === 'preparing' || state.kind === 'running' ? <Dots /> : null}
          <span class="tool__word">{sayState(card)}</span>
          {state.kind === 'running' ? <RunningTime since={state.since} /> : null}
          {'ms' in state && state.ms !== undefined && state.kind !== 'denied' && card.asked === undefined ? (
            <span class="elapsed">{sayDuration(state.ms)}</span>
          ) : null}
        </span>
        <span class="tool__fold">
          <ChevronIcon />
        </span>
      </summary>
      <div class="tool__body">
        <Body card={card} />
        {card.shortened === undefined ? null : <Shortened {...card.shortened} />}
        {decision === undefined ? null : (
          <p class="tool__advice" data-decision={card.decision?.kind}>
            {decision}
          </p>
        )}
        {advice === undefined ? null : <p class="tool__advice">{advice}</p>}
      </div>
    </details>
  )
})

const Shortened = ({ file }: { readonly file?: string }) => (
  <p class="tool__advice" data-shortened>
    The agent sees less of this result than you.{file === undefined ? '' : ` It can read the whole of it in ${file}.`}
  </p>
)

const RunningTime = ({ since }: { readonly since: number }) => {
  const { clock } = useApp()
  const passed = clock.second.value - since
  return passed < 1000 ? null : <span class="elapsed">{sayDuration(Math.floor(passed / 1000) * 1000)}</span>
}
