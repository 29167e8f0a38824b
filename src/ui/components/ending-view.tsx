// How a turn ended when it did not end well, and what can be done about it.
import { useRef } from 'preact/hooks'
import type { EndingItem, TranscriptItem } from '../../storage/log/projections/transcript-items.ts'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'
import { WarningIcon } from './icons.tsx'
import { useFocusHandover } from './use-focus-handover.ts'

export const EndingView = ({ item }: { readonly item: EndingItem }) => {
  const { reason } = item
  switch (reason.kind) {
    case 'error':
      return (
        <div class="failure" data-item="error" data-state={reason.code ?? 'error'}>
          <h3>
            <WarningIcon /> The turn stopped with an error
          </h3>
          <p class="failure__words">{reason.message}</p>
          <GoOn item={item} label="Try again" settings />
        </div>
      )
    case 'interrupted':
      return (
        <div class="marker" data-item="interrupted">
          <span>Interrupted here. Everything above was kept.</span>
          <GoOn item={item} label="Go on" />
        </div>
      )
    case 'aborted':
      return (
        <div class="marker" data-item="aborted">
          <span>{reason.reason === undefined || isPlain(reason.reason) ? 'Stopped.' : `Stopped: ${reason.reason}`}</span>
          <GoOn item={item} label="Go on" />
        </div>
      )
    case 'max-tokens':
      return (
        <div class="marker" data-item="max-tokens">
          <span>The reply reached its length limit and was cut here.</span>
          <GoOn item={item} label="Go on" />
        </div>
      )
    case 'disposed':
      return (
        <div class="marker" data-item="disposed">
          <span>The session was closed while it worked.</span>
          <GoOn item={item} label="Go on" />
        </div>
      )
  }
}

export const STOPPED_BY_PERSON = 'stopped by the user'
const isPlain = (reason: string): boolean => reason === STOPPED_BY_PERSON || reason === 'cancelled'

/** They may come behind the end of a turn, and nothing goes on with them. */
const AFTERWORDS: ReadonlySet<TranscriptItem['kind']> = new Set(['late', 'task-ended'])

/** Only after the last turn: an old failure is history. */
const GoOn = (props: { readonly item: EndingItem; readonly label: string; readonly settings?: boolean }) => {
  const { current, layout, models, notices } = useApp()
  const { transcript, phase, opened } = current
  const last = [...(transcript.value?.pages.at(-1) ?? []), ...(transcript.value?.open ?? [])].findLast(({ kind }) => !AFTERWORDS.has(kind))
  const { value } = opened
  if (last !== props.item || phase.value === 'running' || phase.value === 'waiting' || value.kind !== 'open') return null
  const goOn = () => {
    value.session.continue().catch((error: unknown) => notices.show({ kind: 'error', text: sayFailure(error) }))
  }
  const showSettings = () => layout.showSettings(true, models.isLocal.peek() ? 'local-models' : undefined)
  return <GoOnButtons label={props.label} onGoOn={goOn} onSettings={props.settings ? showSettings : undefined} />
}

type ButtonsProps = { readonly label: string; readonly onGoOn: () => void; readonly onSettings: (() => void) | undefined }

const GoOnButtons = ({ label, onGoOn, onSettings }: ButtonsProps) => {
  const place = useRef<HTMLSpanElement>(null)
  useFocusHandover(place)
  return (
    <span class="row" ref={place}>
      <button type="button" class="button" onClick={onGoOn}>
        {label}
      </button>
      {onSettings !== undefined ? (
        <button type="button" class="button button--quiet" onClick={onSettings}>
          Settings
        </button>
      ) : null}
    </span>
  )
}
