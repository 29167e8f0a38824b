// What a person said, as they wrote it.
import { useState } from 'preact/hooks'
import type { ContentBlock } from '../../storage/log/content.ts'
import { PlainText } from '../markdown/plain-text.tsx'
import type { Reach } from '../markdown/text-beginning.ts'
import { beginningOf } from '../markdown/text-beginning.ts'
import { useApp } from './app-context.tsx'
import { PencilIcon } from './icons.tsx'
import { kept } from './kept.tsx'
import { RewordView } from './reword-view.tsx'
import { textOf } from './text-of.ts'

/** Of a very long message only so much is laid out. */
const SHOWN: Reach = { lines: 25, characters: 1600 }

type Props = {
  readonly kind: 'user' | 'steering'
  readonly id: string
  readonly content: string | readonly ContentBlock[]
  readonly state: 'sending' | 'sent'
  /** Its place in the log: such a message can be sent again in other words. */
  readonly seq?: number | undefined
}

export const SaidView = kept(({ kind, id, content, state, seq }: Props) => {
  const { forks } = useApp()
  const edit = forks.rewording.value
  // What stands in its place is the same message, so that nothing else moves.
  if (seq !== undefined && edit?.id === id) return <RewordView edit={edit} />
  return <ReadView kind={kind} id={id} content={content} state={state} seq={seq} />
})

const ReadView = ({ kind, id, content, state, seq }: Props) => {
  const text = typeof content === 'string' ? content : textOf(content)
  const [whole, setWhole] = useState(false)
  const beginning = beginningOf(text, SHOWN)
  const isLong = beginning !== text
  return (
    <article
      class="said"
      data-item={kind}
      data-state={state}
      data-message-id={id}
      aria-label={kind === 'user' ? 'You' : 'You, while it worked'}
    >
      {kind === 'steering' ? <span class="said__how">Steered</span> : null}
      <div class="said__line">
        {seq === undefined || state === 'sending' || typeof content === 'string' ? null : (
          <EditButton id={id} seq={seq} content={content} />
        )}
        <div class="said__text" data-cut={isLong && !whole}>
          {whole && isLong ? <PlainText text={text} /> : beginning}
        </div>
      </div>
      {isLong ? (
        <button type="button" class="link-button" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? 'Show less' : 'Show all of it'}
        </button>
      ) : null}
      {state === 'sending' ? <SendingWords /> : null}
    </article>
  )
}

type EditProps = { readonly id: string; readonly seq: number; readonly content: readonly ContentBlock[] }

const EditButton = (message: EditProps) => {
  const { forks } = useApp()
  return (
    <button
      type="button"
      class="icon-button said__edit"
      aria-label="Edit and send again"
      title="Edit and send again, in a fork of this session"
      data-act="reword"
      onClick={() => forks.begin(message)}
    >
      <PencilIcon />
    </button>
  )
}

/** A store that fails tells so in its banner; until it works again nothing is on its way. */
const SendingWords = () => {
  const { current } = useApp()
  return <span class="said__state">{current.live.value?.storage.kind === 'failed' ? 'Not saved yet' : 'Sending…'}</span>
}
