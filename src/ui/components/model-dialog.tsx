// What is known of the chosen model, and the limits that a person sets for it.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ModelChoice } from '../state/agent-client.ts'
import { changesOf, fieldsOfLimits, problemInLimits } from '../state/limit-fields.ts'
import { sayPrices, sayTokens } from '../state/say-model.ts'
import { useApp } from './app-context.tsx'
import { FormChoice, FormField } from './form-field.tsx'
import { CloseIcon } from './icons.tsx'

export const ModelDialog = () => {
  const { models, layout } = useApp()
  const dialog = useRef<HTMLDialogElement>(null)
  const shown = layout.modelShown.value
  const choice = models.chosen.value
  useEffect(() => {
    if (shown && dialog.current?.open === false) dialog.current.showModal()
    if (!shown && dialog.current?.open === true) dialog.current.close()
  }, [shown])
  const close = () => layout.showModel(false)
  return (
    <dialog
      class="settings model-dialog"
      ref={dialog}
      aria-labelledby="model-title"
      onClose={close}
      // A click on the backdrop is a click on the dialog itself, outside of its content.
      onMouseDown={(event) => {
        if (event.target === dialog.current) close()
      }}
    >
      {shown && choice !== undefined ? <ModelContent choice={choice} onEnd={close} /> : null}
    </dialog>
  )
}

const ModelContent = ({ choice, onEnd }: { readonly choice: ModelChoice; readonly onEnd: () => void }) => (
  <div class="settings__content">
    <header class="settings__head">
      <h2 id="model-title">{choice.label}</h2>
      <button type="button" class="icon-button" aria-label="Close the model options" onClick={onEnd}>
        <CloseIcon />
      </button>
    </header>
    <section class="settings__part" aria-labelledby="model-facts">
      <h3 id="model-facts">About this model</h3>
      <Facts choice={choice} />
    </section>
    <LimitsForm choice={choice} onEnd={onEnd} />
  </div>
)

const Facts = ({ choice: { info, detail } }: { readonly choice: ModelChoice }) => {
  const rows: readonly (readonly [string, string])[] = [
    ...(detail === undefined ? [] : [['Provider', detail] as const]),
    ...(info?.contextWindow === undefined ? [] : [['Reads at most', `${tokens(info.contextWindow)} at once`] as const]),
    ...(info?.maxOutput === undefined ? [] : [['Writes at most', `${tokens(info.maxOutput)} in one reply`] as const]),
    ...(info?.images === undefined ? [] : [['Sees images', info.images ? 'Yes' : 'No'] as const]),
    ...(info?.tools === undefined ? [] : [['Calls tools', info.tools ? 'Yes' : 'No'] as const]),
    ...(info?.prices === undefined ? [] : [['Price', sayPrices(info.prices)] as const]),
  ]
  return (
    <>
      {rows.length === 0 ? null : (
        <dl class="facts">
          {rows.map(([name, value]) => (
            <div key={name} class="facts__row">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <p class="hint">
        {info === undefined
          ? 'Nothing more is known of it. It is used as it is.'
          : 'From the server’s own list, where it tells, and from a catalogue. What is not here is not known.'}
      </p>
    </>
  )
}

const tokens = (count: number): string => (count < 10_000 ? `${count.toLocaleString()} tokens` : `${sayTokens(count)} tokens`)

const LimitsForm = ({ choice, onEnd }: { readonly choice: ModelChoice; readonly onEnd: () => void }) => {
  const { models, current } = useApp()
  const [fields, setFields] = useState(() => fieldsOfLimits(models.limits.value))
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const { info } = choice
  const set = (changed: Partial<typeof fields>) => {
    setFields({ ...fields, ...changed })
    setProblem(undefined)
  }
  const save = () => {
    const found = problemInLimits(fields, info)
    if (found !== undefined) return setProblem(found)
    void models.limit(changesOf(fields))
    onEnd()
  }
  return (
    <form
      class="settings__part model-dialog__form"
      aria-labelledby="model-limits"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <h3 id="model-limits">{current.id.value === undefined ? 'For new sessions' : 'For this session'}</h3>
      <FormField
        label="Reply limit"
        type="number"
        value={fields.maxTokens}
        placeholder={info?.maxOutput === undefined ? 'tokens' : `up to ${info.maxOutput.toLocaleString()} tokens`}
        onInput={(maxTokens) => set({ maxTokens })}
      />
      <FormField
        label="Temperature"
        type="number"
        value={fields.temperature}
        placeholder="0 to 2"
        onInput={(temperature) => set({ temperature })}
      >
        {(info?.efforts?.length ?? 0) > 0 ? 'Models that reason often take none: the server then says so.' : undefined}
      </FormField>
      <Effort levels={info?.efforts} value={fields.effort} onChoose={(effort) => set({ effort })} />
      <p class="probe" role="status" data-ok="false">
        {problem}
      </p>
      <div class="row row--end">
        <button type="button" class="button button--quiet" onClick={() => set(fieldsOfLimits({}))}>
          Back to the model’s own
        </button>
        <button type="submit" class="button button--main">
          Save
        </button>
      </div>
    </form>
  )
}

type EffortProps = { readonly levels: readonly string[] | undefined; readonly value: string; readonly onChoose: (effort: string) => void }

/** Only the levels that the model has: another one would be refused before the request. One that is set is shown, to be taken away. */
const Effort = ({ levels = [], value, onChoose }: EffortProps) => {
  const offered = value === '' || levels.includes(value) ? levels : [...levels, value]
  if (offered.length === 0) return null
  return (
    <FormChoice
      label="Effort"
      value={value}
      options={[{ value: '', label: 'As the model sees fit' }, ...offered.map((level) => ({ value: level, label: level }))]}
      onChoose={onChoose}
    />
  )
}
