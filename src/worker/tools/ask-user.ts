// The tool `ask_user`: asks the person and waits, for as long as it takes, for the answer.
import type { Answer, Question } from '../../storage/log/events.ts'
import { defineTool } from './define-tool.ts'
import type { ToolContext, ToolDefinition, ToolReturn } from './tool.ts'

export type AskUserOptions = {
  /** `null`: the person dismissed the questions. Rejects when the turn is stopped. */
  readonly ask: (context: ToolContext, questions: readonly Question[]) => Promise<readonly Answer[] | null>
}

type AskedQuestion = {
  readonly text: string
  readonly options?: readonly { readonly label: string; readonly detail?: string }[]
  readonly multiple?: boolean
  readonly freeText?: boolean
}

/** A question without options is answered in the person's own words. */
const asQuestion = ({ text, options = [], multiple, freeText }: AskedQuestion, i: number): Question => ({
  id: `q${i + 1}`,
  text,
  ...(options.length === 0 ? {} : { options }),
  ...(multiple === true ? { multiple: true } : {}),
  ...(freeText === true || options.length === 0 ? { freeText: true } : {}),
})

const answerText = ({ text }: Question, answer: Answer | undefined): string => {
  const words = [...(answer?.chosen ?? []), ...(answer?.text ? [answer.text] : [])]
  return `${text}\n→ ${words.length === 0 ? '(no answer)' : words.join(', ')}`
}

export const askUser = ({ ask }: AskUserOptions): ToolDefinition =>
  defineTool({
    name: 'ask_user',
    description:
      'Ask the person when only they can know or decide; then wait. One to four questions, with options where you can name them. Do not ask what you can find out.',
    parameters: {
      type: 'object',
      properties: {
        questions: {
          type: 'array',
          minItems: 1,
          maxItems: 4,
          items: {
            type: 'object',
            properties: {
              text: { type: 'string', minLength: 1 },
              options: {
                type: 'array',
                maxItems: 8,
                items: {
                  type: 'object',
                  properties: { label: { type: 'string', minLength: 1 }, detail: { type: 'string' } },
                  required: ['label'],
                },
              },
              multiple: { type: 'boolean', description: 'Several may be chosen' },
              freeText: { type: 'boolean', description: 'Own words beside the options' },
            },
            required: ['text'],
          },
        },
      },
      required: ['questions'],
    },
    readOnly: true,
    async execute(args: { readonly questions: readonly AskedQuestion[] }, context): Promise<ToolReturn> {
      const questions = args.questions.map(asQuestion)
      const answers = await ask(context, questions)
      if (answers === null)
        return 'The person dismissed the question without an answer. Go on as well as you can, or stop and say what you need.'
      return questions
        .map((question) =>
          answerText(
            question,
            answers.find(({ id }) => id === question.id),
          ),
        )
        .join('\n\n')
    },
  })
