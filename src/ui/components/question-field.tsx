// One question: its options by number, arrows or mouse, and a field for own words.
import type { Answer, Question } from '../state/agent-client.ts'
import { isPlainEnter } from './keys.ts'

type Props = {
  readonly question: Question
  readonly index: number
  /** The focus begins here. */
  readonly isFirst: boolean
  readonly answer: Answer | undefined
  readonly onGive: (answer: Answer) => void
  readonly onEnter: () => void
}

export const QuestionField = ({ question, index, isFirst, answer, onGive, onEnter }: Props) => {
  const { id, text, options = [], multiple = false, freeText = false } = question
  const chosen = answer?.chosen ?? []
  const give = (next: Partial<Answer>) => onGive({ id, chosen, ...(answer?.text === undefined ? {} : { text: answer.text }), ...next })
  const without = (label: string) => chosen.filter((other) => other !== label)

  const choose = (label: string, how: 'toggle' | 'set') => {
    const isChosen = chosen.includes(label)
    if (isChosen && how === 'set') return
    give({ chosen: isChosen ? without(label) : multiple ? [...chosen, label] : [label] })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const field = event.target as HTMLElement
    const inputs = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLInputElement>('input')]
    const at = inputs.indexOf(field as HTMLInputElement)
    if (isPlainEnter(event)) {
      event.preventDefault()
      const option = options[at]
      if (option !== undefined && !multiple) choose(option.label, 'set')
      return onEnter()
    }
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return
    const option = options[Number(event.key) - 1]
    if (option !== undefined) {
      event.preventDefault()
      choose(option.label, 'toggle')
      inputs[options.indexOf(option)]?.focus()
    }
    const step = multiple ? STEPS[event.key] : undefined // the browser does it for radio buttons
    if (step === undefined) return
    event.preventDefault()
    inputs[(at + step + inputs.length) % inputs.length]?.focus()
  }
  const firstChosen = Math.max(
    0,
    options.findIndex(({ label }) => chosen.includes(label)),
  )
  return (
    <fieldset class="question" data-question={index} onKeyDown={onKeyDown}>
      <legend class="question__text">{text}</legend>
      {multiple ? <p class="hint">Choose as many as you like.</p> : null}
      {options.length === 0 ? null : (
        <ul class="options">
          {options.map(({ label, detail }, number) => (
            <li key={number}>
              <label class="option">
                <input
                  type={multiple ? 'checkbox' : 'radio'}
                  name={`question-${index}`}
                  checked={chosen.includes(label)}
                  data-first={isFirst && number === firstChosen ? '' : undefined}
                  onChange={() => choose(label, multiple ? 'toggle' : 'set')}
                />
                <span class="key" aria-hidden="true">
                  {number + 1}
                </span>
                <span class="option__words">
                  <span class="option__label">{label}</span>
                  {detail === undefined ? null : <span class="option__detail">{detail}</span>}
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
      {freeText ? (
        <textarea
          class="field question__own"
          rows={1}
          aria-label={options.length === 0 ? text : 'In your own words'}
          placeholder={options.length === 0 ? 'Your answer' : 'Or in your own words'}
          value={answer?.text ?? ''}
          data-first={isFirst && options.length === 0 ? '' : undefined}
          onInput={(event) => give({ text: event.currentTarget.value })}
        />
      ) : null}
    </fieldset>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }
