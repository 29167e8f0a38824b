// One provider of models: where it is, its key, its models, and a test that says plainly what is wrong.
import { useState } from 'preact/hooks'
import type { ProviderApi, ProviderFailure, ProviderView } from '../state/agent-client.ts'
import { serverKind } from '../state/origin-settings.ts'
import type { ProviderFields } from '../state/provider-fields.ts'
import { apisOf, doubtAboutKey, draftOf, fieldsOfPreset, modelsOf, presetOf, problemIn, withApi } from '../state/provider-fields.ts'
import { API_ADDRESSES, API_NAMES } from '../state/provider-presets.ts'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'
import { FormChoice, FormField } from './form-field.tsx'
import { Dots } from './icons.tsx'
import { KeyField } from './key-field.tsx'
import { ModelNames } from './model-names.tsx'
import { OriginHelp } from './origin-help.tsx'
import { PresetChoice } from './preset-choice.tsx'
import { useStoppable } from './use-stoppable.ts'

type Busy = 'no' | 'testing' | 'saving'
type Outcome = { readonly ok: boolean; readonly message: string; readonly code?: string }

type Props = {
  /** Without one it makes a new one. */
  readonly provider: ProviderView | undefined
  readonly start: ProviderFields
  readonly onEnd: () => void
}

export const ProviderForm = ({ provider, start, onEnd }: Props) => {
  const { models } = useApp()
  const [fields, setFields] = useState<ProviderFields>(start)
  const [busy, setBusy] = useState<Busy>('no')
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined)
  const [offerFailure, setOfferFailure] = useState<ProviderFailure | undefined>(undefined)
  const { begin, stop } = useStoppable()
  const preset = presetOf(fields)
  const apis = apisOf(preset, fields.api)
  const show = (next: ProviderFields) => {
    setFields(next)
    setOutcome(undefined)
    setOfferFailure(undefined)
  }
  const set = (changed: Partial<ProviderFields>) => show({ ...fields, ...changed })
  // A new one asks first which ids are taken, so that two tabs that add the same provider do not overwrite each other's.
  const draft = async () => draftOf(fields, provider, provider === undefined ? await models.known() : [])
  const run = async (kind: Busy, action: () => Promise<Outcome | undefined>) => {
    const problem = problemIn(fields)
    if (problem !== undefined) return setOutcome({ ok: false, message: problem })
    setBusy(kind)
    setOutcome(undefined)
    const result = await action().catch((error: unknown) => ({ ok: false, message: sayFailure(error) }))
    setBusy('no')
    setOutcome(result)
  }
  const test = () => {
    const signal = begin()
    void run('testing', async () => models.test(await draft(), signal))
  }
  const save = () =>
    run('saving', async () => {
      if (modelsOf(fields).length === 0) return { ok: false, message: 'Name at least one model, or fetch the list.' }
      await models.save(await draft())
      onEnd()
      return undefined
    })
  const isRefused = [outcome?.code, offerFailure?.code].includes('origin-refused')

  return (
    <form
      class="provider-form"
      ref={focusFirst}
      aria-label={provider === undefined ? 'New provider' : `Provider ${provider.label}`}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {provider === undefined ? <PresetChoice chosen={fields.preset} onChoose={(id) => show(fieldsOfPreset(id))} /> : null}
      {preset?.note === undefined ? null : <p class="hint provider-form__note">{preset.note}</p>}
      {apis.length > 1 ? (
        <FormChoice
          label="Protocol"
          value={fields.api}
          options={apis.map((api) => ({ value: api, label: API_NAMES[api] }))}
          onChoose={(api) => show(withApi(fields, apis.find((each) => each === api) ?? fields.api))}
        />
      ) : null}
      <FormField label="Name" value={fields.label} onInput={(label) => set({ label })} />
      <FormField
        label="Address"
        type="url"
        value={fields.baseUrl}
        placeholder={API_ADDRESSES[fields.api satisfies ProviderApi]}
        onInput={(baseUrl) => set({ baseUrl, facts: [] })}
      />
      <KeyField fields={fields} preset={preset} isStored={provider?.hasKey === true} doubt={doubtAboutKey(fields)} onChange={set} />
      <ModelNames
        // What another server offers is of no use here.
        key={`${fields.preset} ${fields.api} ${fields.baseUrl}`}
        names={fields.models}
        typed={fields.typed}
        example={preset?.example ?? ''}
        onChange={(names) => set({ models: names })}
        onType={(typed) => set({ typed })}
        onAdd={() => set({ models: modelsOf(fields), typed: '' })}
        discover={async (signal) => {
          const problem = problemIn(fields)
          if (problem !== undefined) return { ok: false, class: 'provider', message: problem }
          return models.discover(await draft(), signal)
        }}
        onOffer={(facts) => set({ facts })}
        onFailure={setOfferFailure}
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
      {isRefused && isLocal(fields.baseUrl) ? <OriginHelp kind={serverKind(fields.preset, fields.baseUrl)} /> : null}
      <div class="row row--end">
        <button type="button" class="button" onClick={busy === 'testing' ? stop : test} disabled={busy === 'saving'}>
          {busy === 'testing' ? 'Stop the test' : 'Test'}
        </button>
        <button type="button" class="button button--quiet" onClick={onEnd}>
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

/** Of a server that a person can set up themselves. */
const isLocal = (address: string): boolean => /^http:\/\//i.test(address.trim())
