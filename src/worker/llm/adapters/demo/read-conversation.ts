// Reads from the messages of a request what the person wants, what was done about it, and what came in between.
import type { ContentBlock, Message } from '../../../../storage/log/content.ts'
import type { DemoResult } from './script.ts'

export type Goal = {
  readonly text: string
  /** Steering entered a running turn; a prompt began one. */
  readonly kind: 'prompt' | 'steering'
  readonly hasImage: boolean
  /** Results of the demo's own calls since this goal, step by step. */
  readonly rounds: readonly (readonly DemoResult[])[]
  /** What the demo last said without calling a tool, since this goal. */
  readonly lastAnswer: string | undefined
  /** Nothing was said since: it is new to the model. */
  readonly isNew: boolean
}

export type Conversation = {
  /** Everything the person wrote, oldest first. */
  readonly goals: readonly Goal[]
  /** Contexts that came since the model last spoke. */
  readonly newContexts: number
}

const NO_RESULT: DemoResult = { text: 'The call was interrupted before its result came.', isError: true }

/** `provider` tells the demo's own replies from those of other models in the same session. */
export const readConversation = (messages: readonly Message[], provider: string): Conversation => {
  const results = resultsOf(messages)
  const goals: { -readonly [K in keyof Goal]: Goal[K] }[] = []
  let newContexts = 0
  for (const message of messages) {
    if (message.role === 'user') {
      const heard = hear(message.content)
      if (heard === undefined) continue
      const { kind, text, hasImage } = heard
      if (kind === 'context') newContexts += 1
      else goals.push({ kind, text, hasImage, rounds: [], lastAnswer: undefined, isNew: true })
      continue
    }
    newContexts = 0
    for (const goal of goals) goal.isNew = false
    if (message.provenance.provider !== provider) continue
    const calls = message.content.filter((block) => block.type === 'tool-call')
    const answers = calls.map(({ id }) => results.get(id) ?? NO_RESULT)
    // Steering may turn out not to change the goal, so the rounds count for what was asked before it as well.
    for (const goal of goals) {
      if (calls.length > 0) goal.rounds = [...goal.rounds, answers]
      else goal.lastAnswer = textOf(message.content)
    }
  }
  return { goals, newContexts }
}

const resultsOf = (messages: readonly Message[]): ReadonlyMap<string, DemoResult> => {
  const results = new Map<string, DemoResult>()
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === 'tool-result') results.set(block.toolCallId, { text: textOf(block.content), isError: block.isError })
    }
  }
  return results
}

type Heard = { readonly kind: 'prompt' | 'steering' | 'context'; readonly text: string; readonly hasImage: boolean }

const hear = (content: readonly ContentBlock[]): Heard | undefined => {
  const blocks = content.filter((block) => block.type !== 'tool-result')
  if (blocks.length === 0) return undefined
  const hasImage = blocks.some((block) => block.type === 'image')
  const whole = textOf(blocks).trim()
  const wrapped = /^<(steering|context) source="[^"]*">\s*([\s\S]*?)\s*<\/\1>$/.exec(whole)
  if (wrapped?.[1] === 'steering') return { kind: 'steering', text: wrapped[2] ?? '', hasImage }
  // Reminders and summaries of plugins come without an envelope, in a tag of their own.
  if (wrapped !== null || /^<[a-z][\w-]*[ >]/.test(whole)) return { kind: 'context', text: whole, hasImage }
  return { kind: 'prompt', text: whole, hasImage }
}

const textOf = (content: readonly ContentBlock[]): string => content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
