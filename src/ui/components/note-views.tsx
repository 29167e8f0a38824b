// Small notes between the messages: what the model was told by the way, retries, late results, prompts that were not let through.
import type { Source } from '../../storage/log/content.ts'
import type {
  BlockedItem,
  ContextItem,
  LateItem,
  RetryItem,
  SteeringItem,
  UserItem,
} from '../../storage/log/projections/transcript-items.ts'
import { PlainText } from '../markdown/plain-text.tsx'
import { sayDuration } from '../state/say-time.ts'
import { WarningIcon } from './icons.tsx'
import { textOf } from './text-of.ts'

export const ContextView = ({ item }: { readonly item: ContextItem }) => (
  <details class="note note--fold" data-item="context">
    <summary>{item.summary ? 'Earlier messages were summed up for the model' : `Told to the model by ${nameOf(item.source)}`}</summary>
    <PlainText text={textOf(item.content)} />
  </details>
)

/** A message that no person wrote: a plugin or another agent did. */
export const ToldView = ({ item }: { readonly item: UserItem | SteeringItem }) => (
  <details class="note note--fold" data-item={item.kind} data-source={item.source.kind}>
    <summary>Said by {nameOf(item.source)}</summary>
    <PlainText text={textOf(item.content)} />
  </details>
)

const nameOf = (source: Source): string => (source.kind === 'plugin' ? source.plugin : source.kind === 'agent' ? 'another agent' : 'you')

export const RetryView = ({ item }: { readonly item: RetryItem }) => (
  <p class="note note--warning" data-item="retry">
    <WarningIcon />
    <span>
      {item.failure.message} Tried again after {sayDuration(item.delayMs)} (attempt {item.attempt + 1}).
    </span>
  </p>
)

export const LateView = ({ item }: { readonly item: LateItem }) => (
  <p class="note" data-item="late">
    A tool that had been given up on finished after all{item.isError ? ', with an error' : ''}. The model was not told.
  </p>
)

export const BlockedView = ({ item }: { readonly item: BlockedItem }) => (
  <article class="said" data-item="blocked" data-message-id={item.id} aria-label="You, not let through">
    <div class="said__text">{textOf(item.content)}</div>
    <p class="note note--warning">
      <WarningIcon /> Not given to the model: {item.reason}
    </p>
  </article>
)
