// What the agent asked a person, and what they said.
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { GenericToolView } from './generic-tool-view.tsx'
import { Outcome } from './outcome.tsx'

export const AskUserView = ({ card }: { readonly card: ToolCard }) => {
  const { asked, state } = card
  if (asked === undefined) return <GenericToolView card={card} />
  const { questions, answers } = asked
  return (
    <>
      <dl class="asked">
        {questions.map(({ id, text }) => {
          const answer = answers?.find((given) => given.id === id)
          const words = [...(answer?.chosen ?? []), ...(answer?.text === undefined ? [] : [answer.text])]
          return (
            <div key={id} class="asked__one">
              <dt>{text}</dt>
              {answers === undefined ? null : (
                <dd data-empty={words.length === 0}>{words.join(', ') || (answers === null ? 'No answer' : 'Nothing')}</dd>
              )}
            </div>
          )
        })}
      </dl>
      {state.kind === 'done' && answers === null ? <p class="tool__advice">You dismissed it. The agent was told.</p> : null}
      {state.kind === 'done' ? null : <Outcome card={card} label="Answer" />}
    </>
  )
}
