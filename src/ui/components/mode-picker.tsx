// How the next message is taken: a word in the conversation, or a task.
import { MODES } from '../state/modes.ts'
import { useApp } from './app-context.tsx'

export const ModePicker = () => {
  const { modes } = useApp()
  const mode = modes.mode.value
  return (
    <select
      class="picker picker--mode"
      aria-label="Send as"
      title={mode.detail}
      value={mode.label}
      data-task={mode.task}
      onChange={({ currentTarget }) => {
        const chosen = MODES.find(({ label }) => label === currentTarget.value)
        if (chosen !== undefined) modes.choose(chosen)
      }}
    >
      {MODES.map(({ label, detail }) => (
        <option key={label} value={label} title={detail}>
          {label}
        </option>
      ))}
    </select>
  )
}
