// Settings: the providers of models that a person has, and the way to more of them.
import { useState } from 'preact/hooks'
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import type { ModelChoice, ProviderView } from '../state/agent-client.ts'
import { isLocal } from '../state/models.ts'
import type { ProviderFields } from '../state/provider-fields.ts'
import { fieldsOf, fieldsOfPreset, fieldsOfServer } from '../state/provider-fields.ts'
import { API_NAMES, providerPresets } from '../state/provider-presets.ts'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'
import { PlusIcon } from './icons.tsx'
import { LocalServers, useLocalLook } from './local-search.tsx'
import { ProviderForm } from './provider-form.tsx'

type Editing =
  | { readonly kind: 'none' }
  | { readonly kind: 'new'; readonly start: ProviderFields }
  | { readonly kind: 'provider'; readonly provider: ProviderView }

export const ProvidersSection = () => {
  const { models } = useApp()
  const [editing, setEditing] = useState<Editing>({ kind: 'none' })
  const { look, start, stop } = useLocalLook()
  const providers = models.providers.value
  const end = () => setEditing({ kind: 'none' })
  return (
    <section class="settings__part" aria-labelledby="settings-models">
      <h3 id="settings-models">Models</h3>
      <ul class="providers">
        {servedIn(models.choices.value, providers).map(({ provider, label, detail }) => (
          <li key={provider} class="provider">
            <div class="provider__words">
              <span class="provider__name">{label}</span>
              {detail === undefined ? null : <span class="provider__about">{detail}</span>}
            </div>
          </li>
        ))}
        {providers.map((provider) =>
          editing.kind === 'provider' && editing.provider.id === provider.id ? (
            <li key={provider.id} class="provider provider--open">
              <ProviderForm provider={provider} start={fieldsOf(provider)} onEnd={end} />
            </li>
          ) : (
            <ProviderRow key={provider.id} provider={provider} onEdit={() => setEditing({ kind: 'provider', provider })} />
          ),
        )}
      </ul>
      {editing.kind === 'new' ? <ProviderForm key={editing.start.baseUrl} provider={undefined} start={editing.start} onEnd={end} /> : null}
      {editing.kind === 'none' ? (
        <>
          <div class="row">
            <button
              type="button"
              class="button"
              onClick={() => setEditing({ kind: 'new', start: fieldsOfPreset(providerPresets[0]?.id ?? '') })}
            >
              <PlusIcon /> Add a provider
            </button>
            <button type="button" class="button button--quiet" onClick={look.kind === 'looking' ? stop : start}>
              {look.kind === 'looking' ? 'Stop looking' : 'Look for local servers'}
            </button>
          </div>
          <LocalServers
            look={look}
            taken={providers.map(({ baseUrl }) => baseUrl)}
            onUse={(server) => setEditing({ kind: 'new', start: fieldsOfServer(server) })}
          />
        </>
      ) : null}
      <p class="hint">
        Keys are kept encrypted in this browser, are read only by the agent’s worker, and go nowhere but to their provider.
      </p>
    </section>
  )
}

/** One row for each provider that the application or the browser brings; the models of this tab have a section of their own. */
const servedIn = (choices: readonly ModelChoice[], added: readonly ProviderView[]): readonly ModelChoice[] => {
  const own = choices.filter((choice) => !isLocal(choice) && added.every(({ id }) => id !== choice.provider))
  return own.filter((choice, at) => own.findIndex(({ provider }) => provider === choice.provider) === at)
}

const ProviderRow = ({ provider, onEdit }: { readonly provider: ProviderView; readonly onEdit: () => void }) => {
  const { models, notices } = useApp()
  const [asking, setAsking] = useState(false)
  const remove = () => {
    models.remove(provider.id).catch((error: unknown) => notices.show({ kind: 'error', text: `Not removed. ${sayFailure(error)}` }))
  }
  return (
    <li class="provider" data-provider={provider.id}>
      <div class="provider__words">
        <span class="provider__name">{withoutHiddenMarks(provider.label)}</span>
        <span class="provider__about">{asking ? 'Remove it, with its key?' : aboutProvider(provider)}</span>
      </div>
      {asking ? (
        <span class="row">
          <button type="button" class="button button--small button--danger" onClick={remove}>
            Remove
          </button>
          <button type="button" class="button button--small button--quiet" onClick={() => setAsking(false)}>
            Keep
          </button>
        </span>
      ) : (
        <span class="row">
          <button type="button" class="button button--small" onClick={onEdit} aria-label={`Edit ${provider.label}`}>
            Edit
          </button>
          <button
            type="button"
            class="button button--small button--quiet"
            onClick={() => setAsking(true)}
            aria-label={`Remove ${provider.label}`}
          >
            Remove
          </button>
        </span>
      )}
    </li>
  )
}

const aboutProvider = ({ baseUrl, api, models, hasKey }: ProviderView): string => {
  const count = models.length === 1 ? (models[0] ?? '') : `${models.length} models`
  return [baseUrl.replace(/^https?:\/\//, ''), API_NAMES[api], count, hasKey ? 'key stored' : 'no key'].join(' · ')
}
