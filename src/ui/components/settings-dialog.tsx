// Settings: the providers of models, and how the page looks.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ProviderView } from '../state/agent-client.ts'
import { THEMES } from '../state/appearance.ts'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'
import { CloseIcon, PlusIcon } from './icons.tsx'
import { AskSection, ConversationSection } from './person-settings.tsx'
import { ProviderForm } from './provider-form.tsx'
import { THEME_NAMES } from './theme-toggle.tsx'

export const SettingsDialog = () => {
  const { layout } = useApp()
  const dialog = useRef<HTMLDialogElement>(null)
  const shown = layout.settingsShown.value
  useEffect(() => {
    if (shown && dialog.current?.open === false) dialog.current.showModal()
    if (!shown && dialog.current?.open === true) dialog.current.close()
  }, [shown])
  return (
    <dialog
      class="settings"
      ref={dialog}
      aria-labelledby="settings-title"
      onClose={() => layout.showSettings(false)}
      // A click on the backdrop is a click on the dialog itself, outside of its content.
      onMouseDown={(event) => {
        if (event.target === dialog.current) layout.showSettings(false)
      }}
    >
      {shown ? <SettingsContent /> : null}
    </dialog>
  )
}

const SettingsContent = () => {
  const { layout } = useApp()
  return (
    <div class="settings__content">
      <header class="settings__head">
        <h2 id="settings-title">Settings</h2>
        <button type="button" class="icon-button" aria-label="Close the settings" onClick={() => layout.showSettings(false)}>
          <CloseIcon />
        </button>
      </header>
      <ProvidersSection />
      <AskSection />
      <ConversationSection />
      <AppearanceSection />
    </div>
  )
}

type Editing = { readonly kind: 'none' } | { readonly kind: 'new' } | { readonly kind: 'provider'; readonly provider: ProviderView }

const ProvidersSection = () => {
  const { models } = useApp()
  const [editing, setEditing] = useState<Editing>({ kind: 'none' })
  const providers = models.providers.value
  const isAdding = editing.kind === 'new'
  const end = () => setEditing({ kind: 'none' })
  return (
    <section class="settings__part" aria-labelledby="settings-models">
      <h3 id="settings-models">Models</h3>
      <ul class="providers">
        <li class="provider">
          <div class="provider__words">
            <span class="provider__name">Built-in demo</span>
            <span class="provider__about">Rules, not a language model. No key, no network.</span>
          </div>
        </li>
        {providers.map((provider) =>
          editing.kind === 'provider' && editing.provider.id === provider.id ? (
            <li key={provider.id} class="provider provider--open">
              <ProviderForm provider={provider} onEnd={end} />
            </li>
          ) : (
            <ProviderRow key={provider.id} provider={provider} onEdit={() => setEditing({ kind: 'provider', provider })} />
          ),
        )}
      </ul>
      {isAdding ? <ProviderForm provider={undefined} onEnd={end} /> : null}
      {editing.kind === 'none' ? (
        <button type="button" class="button" onClick={() => setEditing({ kind: 'new' })}>
          <PlusIcon /> Add a provider
        </button>
      ) : null}
      <p class="hint">
        Keys are kept encrypted in this browser, are read only by the agent’s worker, and go nowhere but to their provider.
      </p>
    </section>
  )
}

const ProviderRow = ({ provider, onEdit }: { readonly provider: ProviderView; readonly onEdit: () => void }) => {
  const { models, notices } = useApp()
  const [asking, setAsking] = useState(false)
  const remove = () => {
    models.remove(provider.id).catch((error: unknown) => notices.show({ kind: 'error', text: `Not removed. ${sayFailure(error)}` }))
  }
  const count = provider.models.length
  const about = `${provider.baseUrl.replace(/^https?:\/\//, '')} · ${count === 1 ? '1 model' : `${count} models`} · ${provider.hasKey ? 'key stored' : 'no key'}`
  return (
    <li class="provider" data-provider={provider.id}>
      <div class="provider__words">
        <span class="provider__name">{provider.label}</span>
        <span class="provider__about">{asking ? 'Remove it, with its key?' : about}</span>
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

const AppearanceSection = () => {
  const { appearance } = useApp()
  return (
    <section class="settings__part" aria-labelledby="settings-look">
      <h3 id="settings-look">Appearance</h3>
      <div class="choice" role="radiogroup" aria-labelledby="settings-look">
        {THEMES.map((theme) => (
          <label key={theme} class="choice__one">
            <input
              type="radio"
              name="theme"
              value={theme}
              checked={appearance.theme.value === theme}
              onChange={() => appearance.choose(theme)}
            />
            <span>{THEME_NAMES[theme]}</span>
          </label>
        ))}
      </div>
    </section>
  )
}
