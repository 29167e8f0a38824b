// The models of a provider: names that a person types, or picks from the endpoint's own list.
import { useId, useState } from 'preact/hooks'
import type { ListedModel, ModelOffer, ProviderFailure } from '../state/agent-client.ts'
import { sayFailure } from '../state/say-failure.ts'
import { FoundModels } from './found-models.tsx'
import { CloseIcon } from './icons.tsx'
import { isPlainEnter } from './keys.ts'
import { useStoppable } from './use-stoppable.ts'

type Props = {
  readonly names: readonly string[]
  readonly typed: string
  readonly example: string
  readonly onChange: (names: readonly string[]) => void
  readonly onType: (typed: string) => void
  /** What is typed becomes a name. */
  readonly onAdd: () => void
  readonly discover: (signal: AbortSignal) => Promise<ModelOffer>
  /** What the server said of its models, and why it said nothing. */
  readonly onOffer: (models: readonly ListedModel[]) => void
  readonly onFailure: (failure: ProviderFailure) => void
}
type Found =
  | { readonly kind: 'none' }
  | { readonly kind: 'looking' }
  | { readonly kind: 'list'; readonly all: readonly ListedModel[] }
  | { readonly kind: 'failed'; readonly message: string }

export const ModelNames = ({ names, typed, example, onChange, onType, onAdd, discover, onOffer, onFailure }: Props) => {
  const id = useId()
  const [found, setFound] = useState<Found>({ kind: 'none' })
  const { begin, stop } = useStoppable()
  const remove = (name: string) => onChange(names.filter((other) => other !== name))
  const take = (offer: ModelOffer): Found => {
    if (!offer.ok) {
      if (offer.code === 'stopped') return { kind: 'none' }
      onFailure(offer)
      return { kind: 'failed', message: offer.message }
    }
    if (offer.models.length === 0) return { kind: 'failed', message: 'The server lists no models that chat. Type a name.' }
    onOffer(offer.models)
    return { kind: 'list', all: [...offer.models].sort((one, other) => one.id.localeCompare(other.id)) }
  }
  const look = async () => {
    setFound({ kind: 'looking' })
    setFound(await discover(begin()).then(take, (error: unknown): Found => ({ kind: 'failed', message: sayFailure(error) })))
  }
  return (
    <div class="labelled">
      <label for={id}>Models</label>
      <div class="names">
        {names.length === 0 ? null : (
          <ul class="names__chosen" aria-label="Chosen models">
            {names.map((name) => (
              <li key={name} class="chip">
                {name}
                <button type="button" class="chip__remove" aria-label={`Remove ${name}`} onClick={() => remove(name)}>
                  <CloseIcon />
                </button>
              </li>
            ))}
          </ul>
        )}
        <div class="row">
          <input
            id={id}
            class="field"
            value={typed}
            placeholder={example === '' ? 'model name' : `such as ${example}`}
            autoComplete="off"
            autoCapitalize="off"
            spellcheck={false}
            onInput={(event) => onType(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (!isPlainEnter(event) || typed.trim() === '') return
              event.preventDefault() // adds the name; an empty field saves the form
              onAdd()
            }}
          />
          <button type="button" class="button" onClick={found.kind === 'looking' ? stop : look}>
            {found.kind === 'looking' ? 'Stop fetching' : 'Fetch the list'}
          </button>
        </div>
        {found.kind === 'failed' ? (
          <p class="names__failure" role="status">
            {found.message}
          </p>
        ) : null}
        {found.kind === 'list' ? (
          <FoundModels
            all={found.all}
            names={names}
            onToggle={(name) => (names.includes(name) ? remove(name) : onChange([...names, name]))}
          />
        ) : null}
      </div>
    </div>
  )
}
