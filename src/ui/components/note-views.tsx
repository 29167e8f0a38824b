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
import { useApp } from './app-context.tsx'
import { Dots, WarningIcon } from './icons.tsx'
import { textOf } from './text-of.ts'

export const ContextView = ({ item }: { readonly item: ContextItem }) =>
  item.reminder ? <ReminderView item={item} /> : <ToldContext item={item} />

const ToldContext = ({ item }: { readonly item: ContextItem }) => (
  <details class="note note--fold" data-item="context">
    <summary>{item.summary ? 'Earlier messages were summed up for the model' : `Told to the model by ${nameOf(item.source)}`}</summary>
    <PlainText text={textOf(item.content)} />
  </details>
)

const ReminderView = ({ item }: { readonly item: ContextItem }) => {
  const { reminders } = useApp()
  if (!reminders.shown.value) return null
  const text = textOf(item.content).replaceAll(TAGS, '').trim()
  return (
    <details class="note note--fold" data-item="reminder">
      <summary>
        Reminder to the agent<span class="note__line">: {firstWords(text)}</span>
      </summary>
      <PlainText text={text} />
      <button type="button" class="link-button" onClick={() => reminders.show(false)}>
        Hide reminders
      </button>
    </details>
  )
}

const firstWords = (text: string): string => {
  const [line = ''] = text.split('\n', 1)
  return line.length <= 70 ? line : `${line.slice(0, 70).trimEnd()}…`
}

const TAGS = /<\/?automated_reminder>/g

/** A message that no person wrote: a plugin or another agent did. */
export const ToldView = ({ item }: { readonly item: UserItem | SteeringItem }) => (
  <details class="note note--fold" data-item={item.kind} data-source={item.source.kind}>
    <summary>Said by {nameOf(item.source)}</summary>
    <PlainText text={textOf(item.content)} />
  </details>
)

const nameOf = (source: Source): string => (source.kind === 'plugin' ? source.plugin : source.kind === 'agent' ? 'another agent' : 'you')

/** One element in all its states, so that nothing jumps when the time is over. */
export const RetryView = ({ item }: { readonly item: RetryItem }) => (
  <p class="note note--warning" data-item="retry" data-state={item.state}>
    <WarningIcon />
    <span>
      {item.failure.message} {item.state === 'waiting' ? <Countdown item={item} /> : RETRIED[item.state](item)}
    </span>
  </p>
)

const RETRIED: Record<Exclude<RetryItem['state'], 'waiting'>, (item: RetryItem) => string> = {
  tried: ({ delayMs, attempt }) => `Tried again after ${sayDuration(delayMs)} (attempt ${attempt + 1}).`,
  stopped: () => 'It was not tried again.',
}

const Countdown = ({ item }: { readonly item: RetryItem }) => {
  const { clock } = useApp()
  const left = Math.ceil((item.time + item.delayMs - clock.second.value) / 1000)
  return (
    <span class="note__count">
      {left > 0 ? `Trying again in ${left} s` : 'Trying again'} (attempt {item.attempt + 1}) <Dots />
    </span>
  )
}

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
