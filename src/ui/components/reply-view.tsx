// A reply of the model: its text, its reasoning and the tools it asked for, in the order in which they came.
import type { ReplyBlock, ReplyItem } from '../../storage/log/projections/transcript-items.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { ToolCardView } from '../tool-views/tool-card-view.tsx'
import { WarningIcon } from './icons.tsx'
import { kept } from './kept.tsx'
import { ReasoningView } from './reasoning-view.tsx'

export const ReplyView = kept(({ reply }: { readonly reply: ReplyItem }) => (
  <article class="reply" data-item="assistant" data-state={reply.state.kind} aria-label="Agent">
    {reply.blocks.map((block) => (
      <BlockOfReply key={block.key} block={block} />
    ))}
    {reply.state.kind === 'done' && reply.blocks.length === 0 ? <p class="note">The model gave an empty answer.</p> : null}
    {reply.state.kind === 'failed' ? (
      <p class="note note--warning">
        <WarningIcon /> This attempt broke off here.
      </p>
    ) : null}
  </article>
))

const BlockOfReply = kept(({ block }: { readonly block: ReplyBlock }) => {
  if (block.kind === 'tool') return <ToolCardView card={block} />
  if (block.kind === 'reasoning') return <ReasoningView text={block.text} open={block.open} />
  return <Markdown text={block.text} open={block.open} />
})
