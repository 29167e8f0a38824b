// What a person said, as they wrote it.
import { useState } from 'preact/hooks'
import type { ContentBlock } from '../../storage/log/content.ts'
import { useApp } from './app-context.tsx'
import { kept } from './kept.tsx'
import { textOf } from './text-of.ts'

const LONG = 1600

type Props = {
  readonly kind: 'user' | 'steering'
  readonly id: string
  readonly content: string | readonly ContentBlock[]
  readonly state: 'sending' | 'sent'
}

export const SaidView = kept(({ kind, id, content, state }: Props) => {
  const text = typeof content === 'string' ? content : textOf(content)
  const [whole, setWhole] = useState(false)
  const isLong = text.length > LONG || text.split('\n', 26).length > 25
  return (
    <article
      class="said"
      data-item={kind}
      data-state={state}
      data-message-id={id}
      aria-label={kind === 'user' ? 'You' : 'You, while it worked'}
    >
      {kind === 'steering' ? <span class="said__how">Steered</span> : null}
      <div class="said__text" data-cut={isLong && !whole}>
        {text}
      </div>
      {isLong ? (
        <button type="button" class="link-button" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? 'Show less' : 'Show all of it'}
        </button>
      ) : null}
      {state === 'sending' ? <SendingWords /> : null}
    </article>
  )
})

/** A store that fails tells so in its banner; until it works again nothing is on its way. */
const SendingWords = () => {
  const { current } = useApp()
  return <span class="said__state">{current.live.value?.storage.kind === 'failed' ? 'Not saved yet' : 'Sending…'}</span>
}
