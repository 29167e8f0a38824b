// What the agent asks, in the composer's place: a question or an approval, with what waits above it and the way to stop below.
import { useEffect, useRef } from 'preact/hooks'
import type { Pending } from '../state/agent-client.ts'
import { useApp } from './app-context.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { StopIcon } from './icons.tsx'
import { QuestionCard } from './question-card.tsx'
import { QueueView } from './queue-view.tsx'
import { useFocusHandover } from './use-focus-handover.ts'
import { useStop } from './use-stop.ts'

export const AskingView = ({ asked }: { readonly asked: Pending }) => {
  const { asking, layout } = useApp()
  const stop = useStop()
  const card = useRef<HTMLElement>(null)
  useFocusHandover(card)
  const others = asking.pending.value.length - 1
  useEffect(() => {
    const { activeElement } = document
    if (activeElement?.matches('input, textarea, select, dialog *')) return // somebody is in the middle of something
    const first = card.current?.querySelector<HTMLElement>('[data-first]')
    const opensKeyboard = first?.matches('textarea') === true && layout.narrow.peek()
    if (!opensKeyboard) first?.focus()
  }, [layout])
  return (
    <div class="composer">
      <QueueView />
      <section class="ask" ref={card} data-asks={asked.kind} aria-labelledby="ask-title" aria-busy={asking.busy.value}>
        {asked.kind === 'question' ? <QuestionCard asked={asked} /> : <ApprovalCard asked={asked} />}
        <footer class="ask__foot">
          <span class="ask__more">{others === 0 ? '' : others === 1 ? 'One more after this' : `${others} more after this`}</span>
          <span class="composer__hint">{HINTS[asked.kind]}</span>
          <button type="button" class="button button--stop button--small" onClick={stop}>
            <StopIcon /> Stop
          </button>
        </footer>
      </section>
    </div>
  )
}

const HINTS: Record<Pending['kind'], string> = {
  question: 'Numbers choose · Enter answers · Esc stops the turn',
  approval: 'Numbers or arrows choose · Esc stops the turn',
}
