// What can be done with a session, for the menus that offer it.
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import type { SessionListed } from '../state/agent-client.ts'
import type { App } from '../state/app-state.ts'
import { ForkIcon, PencilIcon, SaveIcon, SumUpIcon, TabsIcon, TrashIcon, UndoIcon } from './icons.tsx'
import type { MenuEntry } from './menu-button.tsx'

export const renameEntry = (begin: () => void): MenuEntry => ({ label: 'Rename', Icon: PencilIcon, run: begin })

export const exportEntry = ({ sessionFiles }: App, { id, title }: SessionListed): MenuEntry => ({
  label: 'Export',
  Icon: SaveIcon,
  run: () => void sessionFiles.export(id, withoutHiddenMarks(title) || 'Untitled'),
})

export const removeEntry = ({ current, removals }: App, session: SessionListed): MenuEntry => ({
  label: 'Delete',
  Icon: TrashIcon,
  danger: true,
  run() {
    const wasShown = current.id.peek() === session.id
    if (wasShown) current.startNew()
    removals.add(session, wasShown ? () => current.opened.peek().kind === 'none' && void current.open(session.id) : undefined)
  },
})

export const forkEntry = ({ forks, current }: App): MenuEntry => ({
  label: 'Fork from here',
  Icon: ForkIcon,
  run: () => void forks.now(),
  why: current.view.peek()?.length === 0 ? 'Nothing was said yet' : undefined,
})

export const originalEntry = ({ current, list }: App, { forkOf }: SessionListed): readonly MenuEntry[] => {
  const original = forkOf === undefined ? undefined : list.find(forkOf.sessionId)
  if (original === undefined) return []
  return [{ label: 'Go to the original', Icon: UndoIcon, run: () => void current.open(original.id) }]
}

export const sumUpEntry = ({ summingUp, current }: App): MenuEntry => {
  const phase = current.phase.peek()
  const isAtWork = phase === 'running' || phase === 'waiting'
  return {
    label: 'Sum up older messages',
    Icon: SumUpIcon,
    run: () => void summingUp.start(),
    why: isAtWork ? 'When the agent is done' : summingUp.isBusy.peek() ? 'This goes on already' : undefined,
  }
}

export const takeOverEntry = ({ driving }: App): readonly MenuEntry[] =>
  driving.isElsewhere.peek() ? [{ label: 'Take over here', Icon: TabsIcon, run: () => void driving.takeOver() }] : []
