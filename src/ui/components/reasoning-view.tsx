// A model's reasoning: closed, with its newest line in view while it thinks.
import { useState } from 'preact/hooks'
import { PlainText } from '../markdown/plain-text.tsx'
import { ChevronIcon, Dots } from './icons.tsx'
import { kept } from './kept.tsx'

export const ReasoningView = kept(({ text, open }: { readonly text: string; readonly open: boolean }) => {
  const [unfolded, setUnfolded] = useState(false)
  if (text === '' && !open) return null
  return (
    <div class="reasoning" data-item="reasoning" data-state={open ? 'streaming' : 'done'}>
      <button type="button" class="reasoning__head" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
        <ChevronIcon />
        <span class="reasoning__label">{open ? 'Thinking' : 'Thought'}</span>
        {open ? <Dots /> : null}
        {unfolded ? null : <span class="reasoning__line">{open ? lastLine(text) : firstLine(text)}</span>}
      </button>
      {/* Built only when it is looked at: reasoning can be much longer than the answer. */}
      {unfolded ? (
        <div class="reasoning__text">
          <PlainText text={text} />
        </div>
      ) : null}
    </div>
  )
})

const LOOK = 400

const lastLine = (text: string): string => {
  const lines = text.slice(-LOOK).trimEnd().split('\n')
  return (lines.at(-1) ?? '').slice(-160)
}

const firstLine = (text: string): string => text.slice(0, LOOK).trimStart().split('\n', 1)[0] ?? ''
