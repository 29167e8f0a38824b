// Tells a tool call that was written as text from an answer that merely shows one (T14). Decides on the whole answer.
import { type Fence, type Prose, partsOf, spoken } from './fences.ts'

export type WrittenForm = { readonly form: string; readonly tool: string }

export const SHELL_LANGUAGES: readonly string[] = ['bash', 'shell', 'sh']

/** Markup that some models write for their calls; in prose nobody else writes it. */
const MARKUP = /<tool_call>|<function=\w|<function_calls>|<invoke name=|<｜DSML｜|\[TOOL_CALLS\]/

/** The writer speaks of what somebody else may do, now or later. */
const EXAMPLE =
  /\b(for example|for instance|e\.g\.|an? example|sample|usage|you (can|could|may|might|should|would|need to|have to|must)|if you want|your(self)?|users? (can|may)|in (a|the) terminal|next time|later|would be|is started with|(to|how to) (run|start|use|install|build|test) (it|this|that|them|the))\b/i

const escaped = (name: string): string => name.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&')

const inlineCall = (text: string, tools: readonly string[]): string | undefined =>
  tools.find((name) => new RegExp(`(?<![\\w.-])${escaped(name)}\\s*(\\(\\s*)?\\{\\s*"`).test(text))

/** `{"name": "bash", "arguments": …}` */
const jsonCall = (text: string, tools: readonly string[]): string | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const first: unknown = Array.isArray(value) ? value[0] : value
    if (typeof first !== 'object' || first === null || !('arguments' in first || 'parameters' in first)) return undefined
    return 'name' in first ? tools.find((tool) => tool === first.name) : undefined
  } catch {
    return undefined // then it is no call
  }
}

const ofFence = (fence: Fence, tools: readonly string[]): WrittenForm | undefined => {
  if (fence.language === 'tool_code' || fence.language === 'tool_call') {
    const tool = tools.find((name) => fence.body.includes(name)) ?? tools[0]
    return tool === undefined ? undefined : { form: `a block "${fence.language}"`, tool }
  }
  const tool = jsonCall(fence.body, tools)
  return tool === undefined ? undefined : { form: 'JSON in a block', tool }
}

const ofProse = ({ text }: Prose, tools: readonly string[]): WrittenForm | undefined => {
  const said = spoken(text)
  const inline = inlineCall(said, tools)
  if (inline !== undefined) return { form: `${inline}{…}`, tool: inline }
  const json = jsonCall(said, tools)
  if (json !== undefined) return { form: 'JSON', tool: json }
  const [markup] = MARKUP.exec(said) ?? []
  const tool = tools.find((name) => text.includes(name)) ?? tools[0]
  return markup === undefined || tool === undefined ? undefined : { form: markup, tool }
}

/** A shell block is meant to be run if it ends the answer and nothing around it speaks of somebody else running it. */
const shellBlock = (parts: readonly (Fence | Prose)[], tools: readonly string[]): WrittenForm | undefined => {
  const tool = tools.find((name) => SHELL_LANGUAGES.includes(name))
  const filled = parts.filter((part) => part.kind === 'fence' || part.text.trim() !== '')
  const last = filled.at(-1)
  if (tool === undefined || last?.kind !== 'fence' || !SHELL_LANGUAGES.includes(last.language)) return undefined
  const prose = filled.flatMap((part) => (part.kind === 'prose' ? [spoken(part.text)] : [])).join('\n')
  return EXAMPLE.test(prose) ? undefined : { form: `a block "${last.language}"`, tool }
}

/** `tools`: the names that were sent to the model. */
export const findWrittenCall = (answer: string, tools: readonly string[]): WrittenForm | undefined => {
  if (tools.length === 0) return undefined
  const parts = partsOf(answer)
  for (const part of parts) {
    const found = part.kind === 'fence' ? ofFence(part, tools) : ofProse(part, tools)
    if (found !== undefined) return found
  }
  return shellBlock(parts, tools)
}
