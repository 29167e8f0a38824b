// The models that a server offers, to be chosen from: searchable when there are many, each with what is known of it.
import { useState } from 'preact/hooks'
import type { ListedModel } from '../state/agent-client.ts'
import { explainPrices, sayModel } from '../state/say-model.ts'
import { isPlainEnter } from './keys.ts'

const SHOWN = 200
const FEW = 8

type Props = {
  readonly all: readonly ListedModel[]
  readonly names: readonly string[]
  readonly onToggle: (name: string) => void
}

const hasWord =
  (word: string) =>
  ({ id, name = '' }: ListedModel): boolean =>
    id.toLowerCase().includes(word) || name.toLowerCase().includes(word)

export const FoundModels = ({ all, names, onToggle }: Props) => {
  const [filter, setFilter] = useState('')
  const words = filter.trim().toLowerCase().split(/\s+/)
  const matching = all.filter((model) => words.every((word) => hasWord(word)(model)))
  const prices = explainPrices(all.map(({ info }) => info))
  return (
    <fieldset class="found">
      <legend>{all.length === 1 ? 'One model is offered' : `${all.length} models are offered`}</legend>
      {all.length > FEW ? (
        <input
          class="field"
          type="search"
          aria-label="Filter the models"
          placeholder="Filter"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (isPlainEnter(event)) event.preventDefault() // filters as one types; it must not save the form
          }}
        />
      ) : null}
      <div class="found__list">
        {matching.slice(0, SHOWN).map((model) => (
          <FoundModel key={model.id} model={model} isChosen={names.includes(model.id)} onToggle={() => onToggle(model.id)} />
        ))}
        {matching.length > SHOWN ? <p class="hint">And {matching.length - SHOWN} more: filter to see them.</p> : null}
        {matching.length === 0 ? <p class="hint">None has these words in its name.</p> : null}
      </div>
      {prices === undefined ? null : <p class="hint found__prices">{prices}</p>}
    </fieldset>
  )
}

type OneProps = { readonly model: ListedModel; readonly isChosen: boolean; readonly onToggle: () => void }

const FoundModel = ({ model, isChosen, onToggle }: OneProps) => {
  const facts = sayModel(model.info)
  return (
    <label class="check found__one">
      <input type="checkbox" checked={isChosen} onChange={onToggle} />
      <span class="found__words">
        <span class="found__name">{model.id}</span>
        {facts.length === 0 ? null : <span class="found__facts">{facts.join(' · ')}</span>}
      </span>
    </label>
  )
}
