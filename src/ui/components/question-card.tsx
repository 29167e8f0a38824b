// Questions of the agent: choices for the keyboard, own words, and a way to say nothing.
import { useRef } from 'preact/hooks'
import type { PendingQuestion } from '../state/agent-client.ts'
import { firstMissing } from '../state/asking.ts'
import { useApp } from './app-context.tsx'
import { QuestionField } from './question-field.tsx'

export const QuestionCard = ({ asked }: { readonly asked: PendingQuestion }) => {
  const { asking } = useApp()
  const form = useRef<HTMLFormElement>(null)
  const { questions } = asked
  const answers = asking.answers.value
  const missing = firstMissing(questions, answers)
  const atFirst = useRef(Math.max(0, missing)).current // where the focus begins, after a reload as well

  /** Enter goes on to the next question, and from the last one to the first that has no answer. */
  const goOn = (from: number) => {
    const next = from + 1 < questions.length ? from + 1 : firstMissing(questions, asking.answers.value)
    if (next < 0) return void asking.submit()
    const place = form.current?.querySelector(`[data-question="${next}"]`)
    // The chosen option, else Enter would choose another one.
    const field = place?.querySelector<HTMLElement>('input:checked') ?? place?.querySelector<HTMLElement>('input, textarea')
    field?.focus()
  }
  return (
    <form
      class="ask__form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        void asking.submit()
      }}
    >
      <h2 class="ask__title" id="ask-title">
        {questions.length === 1 ? 'The agent asks you' : `The agent asks you ${questions.length} things`}
      </h2>
      <div class="ask__body">
        {questions.map((question, index) => (
          <QuestionField
            key={question.id}
            question={question}
            index={index}
            isFirst={index === atFirst}
            answer={answers.find(({ id }) => id === question.id)}
            onGive={asking.give}
            onEnter={() => goOn(index)}
          />
        ))}
      </div>
      <div class="row ask__acts">
        <button type="submit" class="button button--main" disabled={missing >= 0 || asking.busy.value}>
          Answer
        </button>
        <button type="button" class="button button--quiet" disabled={asking.busy.value} onClick={() => asking.dismiss()}>
          Dismiss
        </button>
      </div>
    </form>
  )
}
