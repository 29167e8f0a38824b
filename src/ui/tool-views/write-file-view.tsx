// A file that the agent wrote: its content, and what the tool says of it.
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Outcome, resultText } from './outcome.tsx'
import { stringField } from './partial-arguments.ts'

export const WriteFileView = ({ card }: { readonly card: ToolCard }) => {
  const content = stringField(card.arguments, 'content')
  const path = stringField(card.arguments, 'path') ?? ''
  return (
    <>
      {content === undefined ? null : <CodeBlock text={content} label={path} />}
      {card.state.kind === 'done' && isShort(resultText(card)) ? (
        <p class="tool__advice">{resultText(card)}</p>
      ) : (
        <Outcome card={card} label="Result" />
      )}
    </>
  )
}

const isShort = (words = ''): boolean => words.length <= 400
