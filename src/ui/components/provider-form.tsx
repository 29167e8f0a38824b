// One provider of models: where it is, its key, its models, and a test that says plainly what is wrong.
import { useId, useState } from 'preact/hooks'
import type { ModelProbe, ProviderView } from '../state/agent-client.ts'
import type { ProviderFields } from '../state/provider-fields.ts'
import { draftOf, fieldsOf, presetOf, problemIn } from '../state/provider-fields.ts'
import { providerPresets } from '../state/provider-presets.ts'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'
import { Dots } from './icons.tsx'
import { ModelNames } from './model-names.tsx'

type Busy = 'no' | 'testing' | 'saving'
type Outcome = { readonly ok: boolean; readonly message: string }

/** Without a provider it makes a new one. */
export const ProviderForm = (props: { readonly provider: ProviderView | undefined; readonly onEnd: () => void }) => {
  const { models } = useApp()
  const [fields, setFields] = useState<ProviderFields>(() => fieldsOf(props.provider))
  const [busy, setBusy] = useState<Busy>('no')
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined)
  const preset = presetOf(fields)
  const set = (changed: Partial<ProviderFields>) => {
    setFields({ ...fields, ...changed })
    setOutcome(undefined)
  }
  // A new one asks first which ids are taken, so that two tabs that add the same provider do not overwrite each other's.
  const draft = async () => draftOf(fields, props.provider, props.provider === undefined ? await models.known() : [])
  const run = async (kind: Busy, action: () => Promise<Outcome | undefined>) => {
    const problem = problemIn(fields)
    if (problem !== undefined) return setOutcome({ ok: false, message: problem })
    setBusy(kind)
    setOutcome(undefined)
    const result = await action().catch((error: unknown) => ({ ok: false, message: sayFailure(error) }))
    setBusy('no')
    setOutcome(result)
  }
  const test = () => run('testing', async () => outcomeOf(await models.test(await draft())))
  const save = () =>
    run('saving', async () => {
      if (fields.models.length === 0) return { ok: false, message: 'Name at least one model, or fetch the list.' }
      await models.save(await draft())
      props.onEnd()
      return undefined
    })

  return (
    <form
      class="provider-form"
      ref={focusFirst}
      aria-label={props.provider === undefined ? 'New provider' : `Provider ${props.provider.label}`}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {props.provider === undefined ? (
        <div class="presets" role="radiogroup" aria-label="Provider">
          {providerPresets.map((each) => (
            <label key={each.id} class="presets__one">
              <input
                type="radio"
                name="preset"
                value={each.id}
                checked={fields.preset === each.id}
                onChange={() => set({ preset: each.id, label: each.id === 'custom' ? '' : each.label, baseUrl: each.baseUrl, models: [] })}
              />
              <span>{each.label}</span>
            </label>
          ))}
        </div>
      ) : null}
      {preset?.hint === undefined ? null : <p class="hint">{preset.hint}</p>}
      <Field label="Name" value={fields.label} onInput={(label) => set({ label })} />
      <Field label="Address" type="url" value={fields.baseUrl} placeholder="https://…/v1" onInput={(baseUrl) => set({ baseUrl })} />
      <Field
        label={preset?.local === true ? 'Key (usually none)' : 'Key'}
        type="password"
        value={fields.key}
        placeholder={props.provider?.hasKey ? 'stored; leave empty to keep it' : ''}
        onInput={(key) => set({ key, forgetKey: false })}
      />
      {props.provider?.hasKey ? (
        <label class="check">
          <input
            type="checkbox"
            checked={fields.forgetKey}
            onChange={(event) => set({ forgetKey: event.currentTarget.checked, key: '' })}
          />
          <span>Forget the stored key</span>
        </label>
      ) : null}
      <ModelNames
        names={fields.models}
        example={preset?.example ?? ''}
        onChange={(names) => set({ models: names })}
        discover={async () => models.discover(await draft())}
      />
      <p class="probe" role="status" data-ok={outcome?.ok}>
        {busy === 'testing' ? (
          <>
            <Dots /> Asking for one word…
          </>
        ) : (
          outcome?.message
        )}
      </p>
      <div class="row row--end">
        <button type="button" class="button" onClick={test} disabled={busy !== 'no'}>
          Test
        </button>
        <button type="button" class="button button--quiet" onClick={props.onEnd}>
          Cancel
        </button>
        <button type="submit" class="button button--main" disabled={busy !== 'no'}>
          Save
        </button>
      </div>
    </form>
  )
}

/** The form appears where a button was: the focus goes on in it. */
const focusFirst = (form: HTMLFormElement | null) => {
  if (form !== null && !form.contains(document.activeElement)) form.querySelector<HTMLElement>('input:checked, input')?.focus()
}

const outcomeOf = (probe: ModelProbe): Outcome => ({ ok: probe.ok, message: probe.message })

type FieldProps = {
  readonly label: string
  readonly value: string
  readonly type?: 'text' | 'url' | 'password'
  readonly placeholder?: string
  readonly onInput: (value: string) => void
}

const Field = ({ label, value, type = 'text', placeholder = '', onInput }: FieldProps) => {
  const id = useId()
  const common = {
    id,
    class: 'field',
    value,
    placeholder,
    autoComplete: 'off',
    spellcheck: false,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  }
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      {type === 'password' ? (
        <input {...common} type="password" />
      ) : (
        <input {...common} type="text" inputMode={type} autoCapitalize="off" />
      )}
    </div>
  )
}
