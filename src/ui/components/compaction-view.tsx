// A compaction in the conversation: that the model sees a summary of what is above from here on, or why it does not.
import type { CompactionItem } from '../../storage/log/projections/transcript-items.ts'
import { PlainText } from '../markdown/plain-text.tsx'
import { Dots } from './icons.tsx'
import { textOf } from './text-of.ts'

export const CompactionView = ({ item }: { readonly item: CompactionItem }) => {
  const { end, summary } = item
  return (
    <div class="compaction" data-item="compaction" data-state={end?.outcome ?? 'running'}>
      <p class="rule">
        <span>
          {sayOutcome(item)} {end === undefined ? <Dots /> : null}
        </span>
      </p>
      {end !== undefined && end.outcome !== 'done' && end.detail !== undefined ? <p class="hint">{end.detail}</p> : null}
      {summary === undefined ? null : (
        <details class="note note--fold">
          <summary>What the agent sees of it</summary>
          <PlainText text={textOf(summary)} />
        </details>
      )}
    </div>
  )
}

const sayOutcome = ({ end, tokens, shorter }: CompactionItem): string => {
  switch (end?.outcome) {
    case undefined:
      return `Summing up earlier messages (${sayTokens(tokens)})`
    case 'done':
      return shorter === undefined
        ? 'Earlier messages were summed up for the agent'
        : `Earlier messages were summed up for the agent: ${sayTokens(shorter.before)} became ${shorter.after.toLocaleString()}`
    case 'unchanged':
      return 'Earlier messages were left as they are'
    case 'failed':
      return 'Earlier messages could not be summed up'
    case 'aborted':
      return 'Summing up was stopped; nothing changed'
  }
}

const sayTokens = (tokens: number): string => `${tokens.toLocaleString()} tokens`
