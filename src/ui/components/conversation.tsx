// The conversation: pages of finished items, the open ones, what is being sent, and a place that follows the newest words.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from './app-context.tsx'
import { EmptyState } from './empty-state.tsx'
import { DownIcon } from './icons.tsx'
import { OutgoingView } from './outgoing-view.tsx'
import { TranscriptPages } from './transcript-pages.tsx'
import { useFocusHandover } from './use-focus-handover.ts'
import { useStickToEnd } from './use-stick-to-end.ts'
import { WorkingLine } from './working-line.tsx'

export const Conversation = () => {
  const { current, sending } = useApp()
  const opened = current.opened.value
  const nothing = opened.kind === 'none' && sending.outgoing.value.length === 0
  if (nothing) return <EmptyState />
  if (opened.kind === 'failed') return <OpenFailure id={opened.id} message={opened.message} />
  return <Scroller key={opened.kind === 'none' ? 'new' : (current.id.value ?? 'new')} />
}

const Scroller = () => {
  const { current } = useApp()
  const [away, setAway] = useState(false)
  const { scroller, content, goToEnd, notice } = useStickToEnd(setAway)
  const isOpening = current.opened.value.kind === 'opening'
  return (
    <div class="conversation">
      <div
        class="conversation__scroll"
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label="Conversation"
        aria-busy={isOpening}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
        tabIndex={0}
      >
        <div class="column" ref={content}>
          <h2 class="hidden">Conversation</h2>
          {isOpening ? <OpeningSkeleton /> : null}
          <TranscriptPages scroller={scroller} notice={notice} />
          <OutgoingView goToEnd={goToEnd} />
          <WorkingLine />
        </div>
      </div>
      {away ? (
        <button type="button" class="jump" onClick={goToEnd}>
          <DownIcon /> Latest
        </button>
      ) : null}
    </div>
  )
}

/** A session that another tab has open is waited for some seconds before it is given up on: an empty page would say nothing of that. */
const OpeningSkeleton = () => {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <>
      <p class="opening" role="status">
        {isLong ? 'Opening… waiting for the other tab that may have it open.' : 'Opening…'}
      </p>
      <div class="skeleton skeleton--conversation" aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
      </div>
    </>
  )
}

const LONG_MS = 1000

const OpenFailure = ({ id, message }: { readonly id: string; readonly message: string }) => {
  const { current } = useApp()
  const place = useRef<HTMLDivElement>(null)
  useFocusHandover(place)
  return (
    <div class="conversation conversation--empty" ref={place}>
      <div class="failure" role="alert">
        <h2>This session could not be opened</h2>
        <p>{message}</p>
        <div class="row">
          <button type="button" class="button button--main" onClick={() => current.open(id)}>
            Try again
          </button>
          <button type="button" class="button" onClick={current.startNew}>
            New session
          </button>
        </div>
      </div>
    </div>
  )
}
