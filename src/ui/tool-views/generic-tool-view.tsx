// Any tool without a view of its own: its arguments as JSON, its result as text.
import { useMemo } from 'preact/hooks'
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Outcome } from './outcome.tsx'
import { parsed } from './partial-arguments.ts'

export const GenericToolView = ({ card }: { readonly card: ToolCard }) => {
  const text = useMemo(() => argumentsAsText(card.arguments), [card.arguments]) // some megabytes, and the card is drawn at each change
  return (
    <>
      {text === '' ? null : <CodeBlock text={text} label="Arguments" />}
      <Outcome card={card} label="Result" />
    </>
  )
}

/** Nothing for no arguments; what is no complete JSON as it came. */
const argumentsAsText = (json: string): string => {
  const args = parsed(json)
  if (args === undefined) return json
  return Object.keys(args).length === 0 ? '' : JSON.stringify(args, null, 2)
}
