// The models of a provider: names that a person types, or picks from the endpoint's own list.
import { useId, useState } from 'preact/hooks'
import { sayFailure } from '../state/say-failure.ts'
import { CloseIcon } from './icons.tsx'
import { isPlainEnter } from './keys.ts'

type Props = {
  readonly names: readonly string[]
  readonly example: string
  readonly onChange: (names: readonly string[]) => void
  readonly discover: () => Promise<readonly string[]>
}
type Found =
  | { readonly kind: 'none' }
  | { readonly kind: 'looking' }
  | { readonly kind: 'list'; readonly all: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string }

export const ModelNames = ({ names, example, onChange, discover }: Props) => {
  const id = useId()
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<Found>({ kind: 'none' })
  const add = (text: string) => {
    const more = text.split(/[\s,]+/).filter((name) => name !== '' && !names.includes(name))
    if (more.length > 0) onChange([...names, ...more])
    setTyped('')
  }
  const remove = (name: string) => onChange(names.filter((other) => other !== name))
  const look = async () => {
    setFound({ kind: 'looking' })
    setFound(
      await discover().then(
        (all): Found =>
          all.length === 0
            ? { kind: 'failed', message: 'The server lists no models. Type a name.' }
            : { kind: 'list', all: [...all].sort() },
        (error: unknown): Found => ({ kind: 'failed', message: sayFailure(error) }),
      ),
    )
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
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (!isPlainEnter(event) || typed.trim() === '') return
              event.preventDefault() // adds the name; an empty field saves the form
              add(typed)
            }}
            onBlur={() => add(typed)}
          />
          <button type="button" class="button" onClick={look} disabled={found.kind === 'looking'}>
            {found.kind === 'looking' ? 'Fetching…' : 'Fetch the list'}
          </button>
        </div>
        {found.kind === 'failed' ? (
          <p class="names__failure" role="status">
            {found.message}
          </p>
        ) : null}
        {found.kind === 'list' ? (
          <FoundList
            all={found.all}
            names={names}
            onToggle={(name) => (names.includes(name) ? remove(name) : onChange([...names, name]))}
          />
        ) : null}
      </div>
    </div>
  )
}

const SHOWN = 200

type FoundProps = { readonly all: readonly string[]; readonly names: readonly string[]; readonly onToggle: (name: string) => void }

const FoundList = ({ all, names, onToggle }: FoundProps) => {
  const [filter, setFilter] = useState('')
  const matching = all.filter((name) => name.toLowerCase().includes(filter.trim().toLowerCase()))
  return (
    <fieldset class="found">
      <legend>{all.length === 1 ? 'One model is offered' : `${all.length} models are offered`}</legend>
      {all.length > 8 ? (
        <input
          class="field"
          type="search"
          aria-label="Filter the models"
          placeholder="Filter"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault() // filters as one types; it must not save the form
          }}
        />
      ) : null}
      <div class="found__list">
        {matching.slice(0, SHOWN).map((name) => (
          <label key={name} class="check">
            <input type="checkbox" checked={names.includes(name)} onChange={() => onToggle(name)} />
            <span>{name}</span>
          </label>
        ))}
        {matching.length > SHOWN ? <p class="hint">And {matching.length - SHOWN} more: filter to see them.</p> : null}
      </div>
    </fieldset>
  )
}
