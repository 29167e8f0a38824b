// JavaScript that the agent ran: the code and what it gave.
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Outcome } from './outcome.tsx'
import { stringField } from './partial-arguments.ts'

export const RunJsView = ({ card }: { readonly card: ToolCard }) => (
  <>
    <CodeBlock text={stringField(card.arguments, 'code') ?? card.arguments} label="JavaScript" />
    <Outcome card={card} label="Output" />
  </>
)
