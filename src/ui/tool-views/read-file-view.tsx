// A file that the agent read.
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Outcome, resultText } from './outcome.tsx'
import { stringField } from './partial-arguments.ts'

export const ReadFileView = ({ card }: { readonly card: ToolCard }) =>
  card.state.kind === 'done' ? (
    <CodeBlock text={resultText(card) ?? ''} label={stringField(card.arguments, 'path') ?? ''} />
  ) : (
    <Outcome card={card} label="Content" />
  )
