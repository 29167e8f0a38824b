// One item of the transcript, by its kind.
import { assertNever } from '../../storage/log/errors.ts'
import type { TranscriptItem } from '../../storage/log/projections/transcript-items.ts'
import { ToolCardView } from '../tool-views/tool-card-view.tsx'
import { CompactionView } from './compaction-view.tsx'
import { EndingView } from './ending-view.tsx'
import { kept } from './kept.tsx'
import { BlockedView, ContextView, LateView, RetryView, ToldView } from './note-views.tsx'
import { ReplyView } from './reply-view.tsx'
import { SaidView } from './said-view.tsx'
import { TaskEndedView, TaskStartedView } from './task-views.tsx'

export const ItemView = kept(({ item, isStored }: { readonly item: TranscriptItem; readonly isStored: boolean }) => {
  switch (item.kind) {
    case 'user':
    case 'steering':
      if (item.source.kind !== 'user') return <ToldView item={item} />
      return (
        <SaidView
          kind={item.kind}
          id={item.id}
          content={item.content}
          state={isStored ? 'sent' : 'sending'}
          seq={item.kind === 'user' ? item.seq : undefined}
        />
      )
    case 'reply':
      return <ReplyView reply={item} />
    case 'tool':
      return <ToolCardView card={item} />
    case 'blocked':
      return <BlockedView item={item} />
    case 'context':
      return <ContextView item={item} />
    case 'retry':
      return <RetryView item={item} />
    case 'compaction':
      return <CompactionView item={item} />
    case 'task-started':
      return <TaskStartedView item={item} />
    case 'task-ended':
      return <TaskEndedView item={item} />
    case 'late':
      return <LateView item={item} />
    case 'ending':
      return <EndingView item={item} />
    default:
      return assertNever(item)
  }
})
