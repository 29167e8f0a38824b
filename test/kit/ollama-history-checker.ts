// What Ollama's native chat accepts as a request, its strictest templates included, as a list of problems.
import { loneSurrogates } from './lone-surrogates.ts'

type Fields = { readonly [key: string]: unknown }
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isFilled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

const BODY = ['model', 'messages', 'tools', 'think', 'options', 'keep_alive', 'stream', 'format']
const KEYS: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content', 'images'],
  assistant: ['role', 'content', 'thinking', 'tool_calls'],
  tool: ['role', 'content', 'tool_name', 'tool_call_id'],
}

/** An empty list: the body is accepted. `idPattern`: what the ids of calls must be like. */
export const ollamaHistoryProblems = (body: unknown, idPattern = /^[\w.:-]{1,64}$/): readonly string[] => {
  if (!isFields(body) || !Array.isArray(body.messages)) return ['messages is not a list']
  const problems: string[] = []
  for (const place of loneSurrogates(body)) problems.push(`${place} holds half of a surrogate pair`)
  for (const key of Object.keys(body)) if (!BODY.includes(key)) problems.push(`unknown key ${key}`)
  const ids = new Set<string>()
  let owed: readonly (readonly [string, string])[] = []
  let previous = ''
  let said = 0
  body.messages.forEach((message: unknown, index) => {
    const problem = (words: string) => problems.push(`message ${index}: ${words}`)
    if (!isFields(message) || typeof message.role !== 'string' || KEYS[message.role] === undefined) {
      problem('has no known role')
      return
    }
    const { role, content, images } = message
    for (const key of Object.keys(message)) if (!KEYS[role]?.includes(key)) problem(`${role} must not have the key ${key}`)
    if (typeof content !== 'string') problem('content is no text')
    if (role === 'system' && index > 0) problem('a system message is not the first')
    if (role !== 'system') said += 1
    if (role === previous && role !== 'tool') problem(`two messages of role ${role} in a row`)
    previous = role
    if (role === 'tool') {
      const [id, name] = owed[0] ?? []
      owed = owed.slice(1)
      if (id === undefined) problem('a result has no call before it')
      else if (message.tool_call_id !== id || message.tool_name !== name) problem(`expected the result of ${id} (${name})`)
    } else if (owed.length > 0) {
      problem(`comes before the results of ${owed.map(([id]) => id).join(', ')}`)
      owed = []
    }
    if (role === 'assistant') owed = checkCalls(message.tool_calls, ids, idPattern, problem)
    if (!isFilled(content) && !(role === 'assistant' && owed.length > 0)) problem(`${role} content is blank`)
    if (
      images !== undefined &&
      !(Array.isArray(images) && images.length > 0 && images.every((image) => isFilled(image) && !image.startsWith('data:')))
    )
      problem('images are not base64 text')
  })
  if (owed.length > 0) problems.push('the last calls have no results')
  if (said === 0) problems.push('there is nothing but a system message')
  return problems
}

const checkCalls = (
  calls: unknown,
  ids: Set<string>,
  idPattern: RegExp,
  problem: (words: string) => void,
): readonly (readonly [string, string])[] => {
  if (calls === undefined) return []
  if (!Array.isArray(calls) || calls.length === 0) {
    problem('tool_calls is empty')
    return []
  }
  return calls.map((call: unknown) => {
    const called = isFields(call) && isFields(call.function) ? call.function : {}
    const id = isFields(call) ? String(call.id) : ''
    if (!idPattern.test(id)) problem(`the id ${id} is not in the alphabet`)
    if (ids.has(id)) problem(`the id ${id} is used twice`)
    ids.add(id)
    if (!isFilled(called.name)) problem('a call has no name')
    // "cannot unmarshal string into Go struct field … of type api.ToolCallFunctionArguments"
    if (!isFields(called.arguments)) problem(`the arguments of ${id} are no object`)
    return [id, String(called.name)] as const
  })
}
