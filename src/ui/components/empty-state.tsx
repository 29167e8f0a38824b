// The first minute: what this is, who answers, and four things to try.
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import { suggestedTasks } from '../state/suggested-tasks.ts'
import { useApp } from './app-context.tsx'

export const EmptyState = () => {
  const { sending } = useApp()
  return (
    <div class="conversation conversation--empty">
      <div class="welcome">
        <h2>An agent that lives in this tab</h2>
        <p class="welcome__lead">It runs code in a sandbox and keeps files, and all of it stays in this browser. No account, no server.</p>
        <WhoAnswers />
        <h3 class="welcome__try">Things to try</h3>
        <ul class="tasks">
          {suggestedTasks.map((task) => (
            <li key={task.title}>
              <button type="button" class="task" onClick={() => sending.send(task.prompt, 'turn')}>
                <span class="task__title">{task.title}</span>
                <span class="task__prompt">{task.prompt}</span>
                <span class="task__detail">{task.detail}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

const WhoAnswers = () => {
  const { models, layout } = useApp()
  const chosen = models.chosen.value
  if (chosen === undefined) return null
  if (models.isLocal.value)
    return (
      <p class="welcome__model">
        <strong>{withoutHiddenMarks(chosen.label)}</strong> answers, in this tab: nothing you write leaves it. It is a small model, and its
        first answer takes a while.
      </p>
    )
  if (models.isBuiltIn.value)
    return (
      <p class="welcome__model">
        <strong>The model of this browser</strong> answers, on this device: nothing you write leaves it. It is small, and is told of no
        tools.
      </p>
    )
  if (!models.isDemo.value)
    return (
      <p class="welcome__model">
        <strong>{chosen.label}</strong> answers. What you write is sent to that provider.
      </p>
    )
  return (
    <p class="welcome__model">
      <strong>The built-in demo answers:</strong> a set of rules, not a language model. It needs no key and no network, knows the four tasks
      below, and does them with the real tools.{' '}
      <button type="button" class="link-button" onClick={() => layout.showSettings(true)}>
        Add a real model
      </button>{' '}
      or{' '}
      <button type="button" class="link-button" onClick={() => layout.showSettings(true, 'local-models')}>
        run one in this tab
      </button>
      .
    </p>
  )
}
