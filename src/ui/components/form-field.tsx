// One line of a form: its name, its field, and what there is to say about it.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = {
  readonly label: string
  readonly value: string
  readonly type?: 'text' | 'url' | 'password' | 'number'
  readonly placeholder?: string
  readonly onInput: (value: string) => void
  /** Below the field. */
  readonly children?: ComponentChildren
}

export const FormField = ({ label, value, type = 'text', placeholder = '', onInput, children }: FieldProps) => {
  const id = useId()
  const about = useId()
  const hasWords = children !== undefined && children !== null && children !== false
  const common = {
    id,
    class: 'field',
    value,
    placeholder,
    autoComplete: 'off',
    spellcheck: false,
    ...(hasWords ? { 'aria-describedby': about } : {}),
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  }
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      <div class="labelled__field">
        {type === 'password' ? (
          <input {...common} type="password" />
        ) : (
          <input {...common} type="text" inputMode={type === 'number' ? 'decimal' : type} autoCapitalize="off" />
        )}
        {hasWords ? (
          <p class="hint" id={about}>
            {children}
          </p>
        ) : null}
      </div>
    </div>
  )
}

type ChoiceProps = {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onChoose: (value: string) => void
  readonly children?: ComponentChildren
}

export const FormChoice = ({ label, value, options, onChoose, children }: ChoiceProps) => {
  const id = useId()
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      <div class="labelled__field">
        <select id={id} class="field field--choice" value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        {children}
      </div>
    </div>
  )
}
