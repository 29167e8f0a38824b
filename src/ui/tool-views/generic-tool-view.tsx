// Any tool without a view of its own: its arguments as JSON, its result as text.
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Outcome } from './outcome.tsx'
import { parsed } from './partial-arguments.ts'

export const GenericToolView = ({ card }: { readonly card: ToolCard }) => {
  const args = parsed(card.arguments)
  const isEmpty = args !== undefined ? Object.keys(args).length === 0 : card.arguments === ''
  return (
    <>
      {isEmpty ? null : <CodeBlock text={args === undefined ? card.arguments : JSON.stringify(args, null, 2)} label="Arguments" />}
      <Outcome card={card} label="Result" />
    </>
  )
}
