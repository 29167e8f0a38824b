// Which model answers: a list of all that can be chosen, and the way to add more.
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import type { ModelChoice } from '../state/agent-client.ts'
import { useApp } from './app-context.tsx'
import { SlidersIcon } from './icons.tsx'

const ADD = 'add'
const RUN_HERE = 'run-here'
const keyOf = (choice: ModelChoice): string => `${choice.provider}\n${choice.model}`

export const ModelPicker = () => {
  const { models, layout } = useApp()
  const choices = models.choices.value
  const chosen = models.chosen.value
  if (chosen === undefined) return <span class="picker picker--empty">No model</span>
  const isListed = choices.includes(chosen)
  const onChange = (event: { readonly currentTarget: HTMLSelectElement }) => {
    const { value } = event.currentTarget
    const choice = choices.find((candidate) => keyOf(candidate) === value)
    if (choice !== undefined) void models.pick(choice)
    event.currentTarget.value = keyOf(chosen) // the signal moves it when the choice is made
    if (value === ADD) layout.showSettings(true)
    if (value === RUN_HERE) layout.showSettings(true, 'local-models')
  }
  return (
    <>
      <select
        class="picker"
        aria-label="Model"
        value={keyOf(chosen)}
        data-removed={models.isRemoved.value ? '' : undefined}
        onChange={onChange}
      >
        {isListed ? null : <option value={keyOf(chosen)}>{withoutHiddenMarks(sayUnlisted(chosen, models.isRemoved.value))}</option>}
        {groupsOf(choices).map(([provider, group]) => (
          <optgroup key={provider} label={withoutHiddenMarks(group[0]?.detail ?? provider)}>
            {group.map((choice) => (
              <option key={keyOf(choice)} value={keyOf(choice)}>
                {withoutHiddenMarks(choice.label)}
              </option>
            ))}
          </optgroup>
        ))}
        <option value={ADD}>Add a model…</option>
        <option value={RUN_HERE}>Run a model in this tab…</option>
      </select>
      <OptionsButton />
    </>
  )
}

/** What is wrong goes first: a narrow screen cuts the rest. */
const sayUnlisted = ({ label, detail = 'not listed' }: ModelChoice, isRemoved: boolean): string =>
  isRemoved ? `Provider removed: ${label}` : `${label} (${detail})`

const OptionsButton = () => {
  const { models, layout } = useApp()
  const isChanged = Object.keys(models.limits.value).length > 0
  return (
    <button
      type="button"
      class="icon-button model-options"
      aria-label={isChanged ? 'Model options, changed' : 'Model options'}
      title={isChanged ? 'Model options (changed)' : 'Model options'}
      data-changed={isChanged ? '' : undefined}
      onClick={() => layout.showModel(true)}
    >
      <SlidersIcon />
    </button>
  )
}

const groupsOf = (choices: readonly ModelChoice[]): readonly (readonly [string, readonly ModelChoice[]])[] => {
  const groups = new Map<string, ModelChoice[]>()
  for (const choice of choices) groups.set(choice.provider, [...(groups.get(choice.provider) ?? []), choice])
  return [...groups]
}
