// What a tool gave back, in the parts that every tool's view uses.
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { textOf } from '../components/text-of.ts'
import { CutText } from '../markdown/cut-text.tsx'

/** The words of the result; undefined while there is none. */
export const resultText = (card: ToolCard): string | undefined => ('content' in card.state ? textOf(card.state.content) : undefined)

type Props = { readonly card: ToolCard; readonly label: string; readonly failed?: string | undefined }

/** `label`: what the words are when all went well; `failed`: when the tool has a word of its own for how it failed. */
export const Outcome = ({ card, label, failed = 'Error' }: Props) => {
  const text = resultText(card)
  if (card.state.kind === 'denied' && card.decision !== undefined) return null // the card says it in the person's words
  if (text === undefined || (text === '' && card.state.kind !== 'done')) return null
  const isError = card.state.kind !== 'done'
  return (
    <div class="outcome" data-error={isError}>
      <span class="outcome__label">{isError ? failed : label}</span>
      {text === '' ? <p class="outcome__none">nothing</p> : <CutText text={text} />}
    </div>
  )
}
