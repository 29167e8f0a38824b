// What a strict OpenAI-chat server accepts as messages: the rules of the strictest servers and templates together, as a list of problems.
import { isJsonObject, loneSurrogates } from './lone-surrogates.ts'

type Fields = { readonly [key: string]: unknown }
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isFilled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

const KEYS: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'reasoning_content', 'reasoning', 'reasoning_text', 'reasoning_details', 'thinking_blocks'],
  tool: ['role', 'tool_call_id', 'content'],
}

/** An empty list: the body is accepted. `idPattern`: for vendors with a smaller alphabet. */
export const openaiHistoryProblems = (body: unknown, idPattern = /^[a-zA-Z0-9_-]{1,40}$/): readonly string[] => {
  const problems: string[] = []
  const messages: unknown = isFields(body) ? body.messages : undefined
  if (!Array.isArray(messages)) return ['messages is not a list']
  for (const place of loneSurrogates(body)) problems.push(`${place} holds half of a surrogate pair`)
  const ids = new Set<string>()
  let owed: string[] = []
  let previous = ''
  let said = 0

  messages.forEach((message: unknown, index) => {
    const problem = (words: string) => problems.push(`message ${index}: ${words}`)
    if (!isFields(message) || typeof message.role !== 'string' || KEYS[message.role] === undefined) {
      problem('has no known role')
      return
    }
    const { role } = message
    for (const key of Object.keys(message)) if (!KEYS[role]?.includes(key)) problem(`${role} must not have the key ${key}`)
    if (role !== 'tool' && owed.length > 0) {
      problem(`comes before the results of ${owed.join(', ')}`)
      owed = []
    }
    if (role === 'system' && index > 0) problem('a system message is not the first')
    if (role !== 'system') said += 1
    if (role === previous && role !== 'tool') problem(`two messages of role ${role} in a row`)
    if (role === 'user') checkUser(message.content, problem)
    if (role === 'tool') {
      if (!isFilled(message.content)) problem('a result has no text')
      const next = owed.shift()
      if (next === undefined) problem(`the result of ${String(message.tool_call_id)} has no call before it`)
      else if (next !== message.tool_call_id) problem(`expected the result of ${next}, found that of ${String(message.tool_call_id)}`)
    }
    if (role === 'assistant') owed = checkAssistant(message, ids, idPattern, index === messages.length - 1, problem)
    previous = role
  })
  if (owed.length > 0) problems.push(`no results of ${owed.join(', ')}`)
  if (said === 0) problems.push('there is nothing but a system message')
  return problems
}

const checkUser = (content: unknown, problem: (words: string) => void): void => {
  if (isFilled(content)) return
  const parts: readonly unknown[] = Array.isArray(content) ? content : []
  if (parts.length === 0) problem('user content is blank')
  for (const part of parts) {
    if (!isFields(part)) problem('a part is no object')
    else if (part.type === 'text') {
      if (!isFilled(part.text)) problem('a text part is blank')
    } else if (part.type === 'image_url') {
      if (!isFields(part.image_url) || !isFilled(part.image_url.url)) problem('a picture has no URL')
    } else problem(`a part of type ${String(part.type)}`)
  }
}

const checkAssistant = (
  message: Fields,
  ids: Set<string>,
  idPattern: RegExp,
  isLast: boolean,
  problem: (words: string) => void,
): string[] => {
  const { content, tool_calls: calls } = message
  const isThinking = Array.isArray(content) && content.every((part) => isFields(part) && (part.type === 'thinking' || isFilled(part.text)))
  if (!isFilled(content) && !isThinking && !(content === null && Array.isArray(calls))) problem('assistant content is blank')
  if (isLast && typeof content === 'string' && content !== content.trimEnd()) problem('the last text has trailing blanks')
  if (calls === undefined) return []
  if (!Array.isArray(calls) || calls.length === 0) {
    problem('tool_calls is empty')
    return []
  }
  return calls.map((call: unknown): string => {
    if (!isFields(call) || call.type !== 'function' || !isFields(call.function)) {
      problem('a call is not of type function')
      return ''
    }
    const id = String(call.id)
    if (!idPattern.test(id)) problem(`the id ${id} is not in the alphabet`)
    if (ids.has(id)) problem(`the id ${id} is used twice`)
    ids.add(id)
    const { name, arguments: text } = call.function
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) problem(`the name ${String(name)} is not one of a tool`)
    if (!isJsonObject(text)) problem(`the arguments of ${id} are not the JSON text of an object`)
    return id
  })
}
