// JavaScript that the agent ran: the code, or the script's path, and what it gave.
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Outcome } from './outcome.tsx'
import { parsed, stringField } from './partial-arguments.ts'

export const RunJsView = ({ card }: { readonly card: ToolCard }) => {
  const code = stringField(card.arguments, 'code')
  const isReadable = code !== undefined || parsed(card.arguments) !== undefined
  return (
    <>
      {isReadable ? null : <CodeBlock text={card.arguments} label="Arguments" />}
      {code === undefined ? null : <CodeBlock text={code} label="JavaScript" />}
      <Outcome card={card} label="Output" />
    </>
  )
}
