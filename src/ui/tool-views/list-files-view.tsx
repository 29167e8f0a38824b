// The files that the agent looked up.
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { Outcome } from './outcome.tsx'

export const ListFilesView = ({ card }: { readonly card: ToolCard }) => <Outcome card={card} label="Files" />
