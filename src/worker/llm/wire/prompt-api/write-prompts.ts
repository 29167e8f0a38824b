// The writer for the browser's built-in model: a request of the loop → its system prompt and messages. Words only: it has no tools.
import type { JsonObject } from '../../../../storage/log/content.ts'
import type { LlmRequest } from '../../../hooks/llm.ts'
import { type HistoryTurn, validHistory } from '../history.ts'
import { picturesFor } from '../pictures.ts'
import { wellFormed } from '../well-formed.ts'
import type { IdAlphabet } from '../wire-ids.ts'
import { type ToolWords, withoutTools } from '../without-tools.ts'

export type PromptMessage = { readonly role: 'user' | 'assistant'; readonly content: string }
export type WrittenPrompts = { readonly system?: string; readonly messages: readonly PromptMessage[] }

const IDS: IdAlphabet = { pattern: /^/, length: 24 }

/** The Hermes form, which `text-calls/` reads and which most open models have seen. */
const MARKUP: ToolWords = {
  call: ({ name, arguments: json }) => `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${json}}\n</tool_call>`,
  result: () => ['<tool_response>', '</tool_response>'],
}

/** `textCalls`: the model is told of the tools and how to write a call; without it, it does not hear of them. The last is the person's. */
export const writePrompts = (request: LlmRequest, textCalls: boolean): WrittenPrompts => {
  const turns = withoutTools(validHistory(request.messages, IDS), textCalls ? MARKUP : undefined)
  const system = [request.system ?? '', textCalls ? toolsInWords(request.tools ?? []) : '']
    .filter((text) => text.trim() !== '')
    .join('\n\n')
  const messages = turns.map(written)
  return {
    ...(system === '' ? {} : { system: wellFormed(system) }),
    messages:
      messages.at(-1)?.role === 'user'
        ? messages
        : [...messages, { role: 'user', content: messages.length === 0 ? '(empty message)' : 'Go on.' }],
  }
}

const blind = picturesFor({ images: false }, undefined)

const written = (turn: HistoryTurn): PromptMessage => {
  if (turn.kind === 'assistant') {
    const texts = turn.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
    return { role: 'assistant', content: texts.join('\n\n') }
  }
  const parts = turn.kind === 'user' ? turn.parts : []
  const words = parts.map((part) => {
    if (part.type === 'text') return part.text
    const picture = blind(part)
    return 'note' in picture ? picture.note : picture.url
  })
  return { role: 'user', content: words.join('\n') }
}

const toolsInWords = (tools: NonNullable<LlmRequest['tools']>): string => {
  if (tools.length === 0) return ''
  const lines = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters } satisfies JsonObject))
  return `You can use tools. To call one, write exactly this and then stop; the result comes in the next message:
<tool_call>
{"name": "NAME", "arguments": {…}}
</tool_call>
The tools, one on each line, with the JSON Schema of their arguments:
${lines.join('\n')}`
}
