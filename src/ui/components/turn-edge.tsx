// The edge between two turns, where the session can be forked.
import { useApp } from './app-context.tsx'
import { ForkIcon } from './icons.tsx'
import { kept } from './kept.tsx'

/** `beforeSeq`: of what comes next. */
export const TurnEdge = kept(({ beforeSeq }: { readonly beforeSeq: number }) => {
  const { forks } = useApp()
  return <ForkButton onFork={() => void forks.at(beforeSeq)} />
})

/** The end of the session is an edge while nothing runs. */
export const LastEdge = () => {
  const { current, forks } = useApp()
  const phase = current.phase.value
  if (phase === 'running' || phase === 'waiting') return null // and no more is asked, at each word of a reply
  const transcript = current.transcript.value
  const isOpen = current.opened.value.kind === 'open' && current.view.value?.closed === undefined
  const isEmpty = transcript === undefined || (transcript.pages.length === 0 && transcript.open.length === 0)
  return isOpen && !isEmpty ? <ForkButton onFork={() => void forks.now()} /> : null
}

const ForkButton = ({ onFork }: { readonly onFork: () => void }) => {
  const { forks } = useApp()
  return (
    <div class="edge">
      <button
        type="button"
        class="edge__act"
        title="A new session with everything up to here, and the files as they were"
        disabled={forks.isBusy.value}
        onClick={onFork}
      >
        <ForkIcon /> Fork from here
      </button>
    </div>
  )
}
