// The place below the conversation: the composer, or what the agent asks. What was being written is kept and comes back.
import { useRef } from 'preact/hooks'
import { keyOf } from '../state/asking.ts'
import { useApp } from './app-context.tsx'
import { AskingView } from './asking-view.tsx'
import { Composer } from './composer.tsx'

/** A pause of that many milliseconds between two keys: the person has looked up. */
const PAUSE = 700

export const BottomPlace = () => {
  const { asking, drafts } = useApp()
  const typedAt = useRef(Number.NEGATIVE_INFINITY)
  const asked = asking.first.value

  // A card that comes while somebody is writing must not take their next key for an answer: it goes where it was meant to go.
  const onKey = (event: KeyboardEvent) => {
    const now = performance.now()
    const isWriting = drafts.text.peek() !== '' && now - typedAt.current < PAUSE
    if (asked === undefined || isWriting) typedAt.current = now
    if (asked === undefined || !isWriting || event.key === 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    const isText = event.type === 'keydown' && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
    if (isText) drafts.edit(drafts.text.peek() + event.key)
  }
  return (
    <div class="bottom" onKeyDownCapture={onKey} onKeyUpCapture={onKey}>
      {asked === undefined ? <Composer /> : <AskingView key={keyOf(asked)} asked={asked} />}
    </div>
  )
}
