// Stands around a run's model calls: names are watched while they stream, calls of a model without native tools are read from its text.
import type { ContentBlock, ToolCallBlock } from '../../../storage/log/content.ts'
import type { ToolSchema } from '../../../storage/log/model-call.ts'
import type { Disposer } from '../../hooks/agent.ts'
import { isStopped, type Run } from './run.ts'
import { readTextCalls } from './text-calls.ts'
import { textTools } from './texts.ts'
import { watchNames } from './watch-names.ts'

const isTextOnly = ({ agent, home }: Run): boolean => {
  const { provider, model } = agent.options
  return provider !== undefined && model !== undefined && home.info(provider, model).tools === false
}

const lineOf = ({ name, description, parameters }: ToolSchema): { readonly name: string; readonly line: string } => ({
  name,
  line: `${description.split('\n').join(' ')} Arguments: ${JSON.stringify(parameters)}`,
})

/** The calls that came whole before a wrong name cut the reply are kept; of the others nobody knows what they were to be. */
const withoutCutCalls = (run: Run, content: readonly ContentBlock[]): readonly ContentBlock[] =>
  run.cut === undefined ? content : content.filter((block) => block.type !== 'tool-call' || run.cut?.whole.has(block.id))

/** The text stays as the model wrote it, but for markup, which is no text. */
const withTextCalls = async (run: Run, content: readonly ContentBlock[]): Promise<readonly ContentBlock[]> => {
  const schemas = run.home.tools.schemas()
  const names = schemas.map(({ name }) => name)
  const read = await Promise.all(
    content.map(async (block): Promise<readonly ContentBlock[]> => {
      if (block.type !== 'text') return [block]
      const markup = await run.home.readMarkup(block.text, schemas)
      const calls = markup.calls.map((call): ToolCallBlock => ({ type: 'tool-call', id: '', ...call }))
      const text: readonly ContentBlock[] = markup.text === '' ? [] : [{ type: 'text', text: markup.text }]
      return [...text, ...readTextCalls(markup.text, names), ...calls]
    }),
  )
  const blocks = read.flat()
  const isCall = (block: ContentBlock): boolean => block.type === 'tool-call'
  return blocks.some(isCall) ? [...blocks.filter((block) => !isCall(block)), ...blocks.filter(isCall)] : content
}

const VARIABLE = 'task-text-tools'

export const readReplies = (run: Run): readonly Disposer[] => {
  const { agent, home } = run
  const isOwn = (turn: number): boolean => turn === run.turn && !isStopped(run)

  return [
    // The last word: what others add to the tools is not sent either.
    home.on(
      'system-prompt/assemble',
      async (_assembly, context, next) => {
        const assembly = await next()
        if (context.agent !== agent || run.turn === undefined || isStopped(run)) return assembly
        run.textOnly = isTextOnly(run)
        run.sent = assembly.tools.map(({ name }) => name)
        if (!run.textOnly || assembly.tools.length === 0) return assembly
        // By way of a variable: what stands in a description must not be taken for one.
        assembly.variables[VARIABLE] = textTools(assembly.tools.map(lineOf), run.sent.includes('bash'))
        assembly.sections.push({ name: VARIABLE, text: `{{${VARIABLE}}}` })
        assembly.tools = []
        return assembly
      },
      { prepend: true },
    ),
    // Other calls that are made for this agent, as of a compaction, have a signal of their own.
    home.on('llm/stream', (request, next) => {
      if (request.signal === undefined || request.signal !== run.signal || isStopped(run)) return next()
      run.cut = undefined
      return watchNames(next, new Set(run.sent), (cut) => {
        run.cut = cut
      })
    }),
    home.on('agent/step-result', async (by, turn, _step, _message, next) => {
      const message = await next()
      if (by !== agent || !isOwn(turn)) return message
      const whole = withoutCutCalls(run, message.content)
      const content = run.textOnly && run.cut === undefined ? await withTextCalls(run, whole) : whole
      return content === message.content ? message : { ...message, content }
    }),
  ]
}
