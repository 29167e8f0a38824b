// One model of this tab: how far it is, its download, and what can be done with it.
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import type { LocalModelView } from '../state/agent-client.ts'
import { hasSource, isKept, missing, sayAbout, sayLoss, sayProgress, sayState, sayTight, sayWeight } from '../state/local-model-words.ts'
import { roomLeft } from '../state/storage-facts.ts'
import { useApp } from './app-context.tsx'
import { CheckIcon, WarningIcon } from './icons.tsx'
import { useFocusHandover } from './use-focus-handover.ts'

type Props = { readonly model: LocalModelView; readonly onGone: () => void }

export const LocalModelRow = ({ model, onGone }: Props) => {
  const { localModels, models, storage } = useApp()
  const [asking, setAsking] = useState(false)
  const { id, state } = model
  const name = withoutHiddenMarks(model.label)
  const isChosen = models.isLocal.value && models.chosen.value?.model === id
  const report = storage.report.value
  const tight = sayTight(model, report && roomLeft(report))
  const failure = state.kind === 'downloading' ? undefined : (localModels.failures.value.get(id) ?? model.failure)
  return (
    <li class="provider" data-local-model={id} data-state={state.kind} data-chosen={isChosen}>
      <div class="provider__words">
        <span class="provider__name">{name}</span>
        <span class="provider__about">{withoutHiddenMarks(sayAbout(model))}</span>
        <span class="provider__about local-model__state">
          {isKept(model) ? <CheckIcon /> : null}
          {sayState(model)}
          {isChosen && isKept(model) ? ' · chosen' : ''}
        </span>
      </div>
      {asking ? null : (
        <RowActs model={model} name={name} isFailed={failure !== undefined} isChosen={isChosen} onAsk={() => setAsking(true)} />
      )}
      {state.kind === 'downloading' ? <DownloadBar model={model} name={name} /> : null}
      {asking ? <Confirm model={model} name={name} isChosen={isChosen} onEnd={() => setAsking(false)} onGone={onGone} /> : null}
      {failure === undefined ? null : <p class="local-model__words local-model__words--failure">{withoutHiddenMarks(failure)}</p>}
      {tight === undefined ? null : (
        <p class="local-model__words local-model__words--warning">
          <WarningIcon />
          {tight}
        </p>
      )}
    </li>
  )
}

type ActsProps = {
  readonly model: LocalModelView
  readonly name: string
  readonly isFailed: boolean
  readonly isChosen: boolean
  readonly onAsk: () => void
}

const RowActs = ({ model, name, isFailed, isChosen, onAsk }: ActsProps) => {
  const { localModels, layout } = useApp()
  const { id, here, added } = model
  const use = () => {
    layout.showSettings(false) // what answers now is behind them
    void localModels.use(model)
  }
  const next = nextFor(model, isFailed, isChosen)
  const run = { download: () => localModels.download(id), stop: () => localModels.stop(id), use }
  return (
    <span class="row">
      {/* One button that changes its word keeps the focus. */}
      {next === undefined ? null : (
        <RowButton key="next" act="next" id={id} name={name} label={next.label} onPress={() => void run[next.act]()} />
      )}
      {model.state.kind === 'downloading' || (here === 0 && !added) ? null : (
        <RowButton key="remove" act="remove" id={id} name={name} label="Remove" onPress={onAsk} />
      )}
    </span>
  )
}

/** Where the focus goes on from what leaves the row: without a row, at the section's beginning. */
const goOn = (id: string): readonly string[] => {
  const row = `[data-local-model="${CSS.escape(id)}"]`
  return [`${row} [data-act=remove]`, `${row} button`, '#settings-local']
}

type ButtonProps = {
  readonly act: 'next' | 'remove'
  readonly id: string
  readonly name: string
  readonly label: string
  readonly onPress: () => void
}

const RowButton = ({ act, id, name, label, onPress }: ButtonProps) => {
  const button = useRef<HTMLButtonElement>(null)
  useFocusHandover(button, () => goOn(id))
  return (
    <button
      type="button"
      class={act === 'remove' ? 'button button--small button--quiet' : 'button button--small'}
      aria-label={`${label}: ${name}`}
      data-act={act}
      ref={button}
      onClick={onPress}
    >
      {label}
    </button>
  )
}

type Next = { readonly act: 'download' | 'stop' | 'use'; readonly label: string }

/** What a person most likely wants of it now. */
const nextFor = (model: LocalModelView, isFailed: boolean, isChosen: boolean): Next | undefined => {
  if (model.state.kind === 'downloading') return { act: 'stop', label: 'Stop' }
  if (isKept(model)) return isChosen ? undefined : { act: 'use', label: 'Use it' }
  if (!hasSource(model)) return undefined
  if (isFailed) return { act: 'download', label: 'Try again' }
  if (model.here > 0) return { act: 'download', label: 'Go on' }
  const size = missing(model)
  return { act: 'download', label: size === undefined ? 'Download' : `Download ${sayWeight(size)}` }
}

const DownloadBar = ({ model, name }: { readonly model: LocalModelView; readonly name: string }) => {
  const { bytes, here } = model
  const words = sayProgress(model)
  return (
    <div class="local-model__download">
      <progress
        class="local-model__bar"
        aria-label={hasSource(model) ? `Download of ${name}` : `Copying ${name}`}
        aria-valuetext={words}
        {...(bytes === undefined ? {} : { max: bytes, value: here })}
      />
      <span class="local-model__amount">{words}</span>
    </div>
  )
}

type ConfirmProps = {
  readonly model: LocalModelView
  readonly name: string
  readonly isChosen: boolean
  readonly onEnd: () => void
  readonly onGone: () => void
}

const Confirm = ({ model, name, isChosen, onEnd, onGone }: ConfirmProps) => {
  const { localModels } = useApp()
  const place = useRef<HTMLFieldSetElement>(null)
  const keep = useRef<HTMLButtonElement>(null)
  const words = useId()
  useLayoutEffect(() => keep.current?.focus(), []) // before the focus is handed over to the button beside it
  useFocusHandover(place, () => goOn(model.id))
  const remove = () => {
    onGone()
    void localModels.remove(model.id)
    onEnd()
  }
  return (
    <fieldset class="local-model__ask" ref={place} aria-label={`Remove ${name}?`} aria-describedby={words}>
      <p class="local-model__words" id={words}>
        {sayLoss(model, isChosen)}
      </p>
      <span class="row">
        <button type="button" class="button button--small button--danger" onClick={remove}>
          Remove
        </button>
        <button type="button" class="button button--small button--quiet" ref={keep} onClick={onEnd}>
          Keep
        </button>
      </span>
    </fieldset>
  )
}
