// What the strictest Responses server accepts as a request that stores nothing: its rules a second time, as a list of problems.
import { isJsonObject, loneSurrogates } from './lone-surrogates.ts'

type Fields = { readonly [key: string]: unknown }
type Problem = (words: string) => void
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isFilled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map((entry) => (isFields(entry) ? entry : {})) : [])

const BODY_KEYS = [
  ...['model', 'instructions', 'input', 'tools', 'temperature', 'max_output_tokens', 'reasoning', 'store', 'include', 'stream'],
]
const KEYS: Readonly<Record<string, readonly string[]>> = {
  message: ['type', 'role', 'content'],
  function_call: ['type', 'call_id', 'name', 'arguments'],
  function_call_output: ['type', 'call_id', 'output'],
  reasoning: ['type', 'id', 'summary', 'content', 'encrypted_content'],
}

/** An empty list: the body is accepted. `idPattern`: what a case says of call ids, besides OpenAI's own rule. */
export const responsesHistoryProblems = (body: unknown, idPattern?: RegExp): readonly string[] => {
  const problems: string[] = []
  if (!isFields(body)) return ['the body is no object']
  for (const key of Object.keys(body)) if (!BODY_KEYS.includes(key)) problems.push(`Unknown parameter: ${key}`)
  for (const place of loneSurrogates(body)) problems.push(`${place} holds half of a surrogate pair`)
  if (body.store !== false) problems.push('something is stored')
  if (body.instructions !== undefined && !isFilled(body.instructions)) problems.push('instructions are blank')
  checkTools(body.tools, (words) => problems.push(words))
  const input = listOf(body.input)
  if (input.length === 0) problems.push('input is empty')

  const ids = new Set<string>()
  let owed: string[] = []
  input.forEach((item, index) => {
    const type = String(item.type)
    const problem: Problem = (words) => problems.push(`input[${index}] (${type}): ${words}`)
    const known = KEYS[type]
    if (known === undefined) {
      problem('is of no known type')
      return
    }
    for (const key of Object.keys(item)) if (!known.includes(key)) problem(`Unknown parameter: ${key}`)
    const callGoesOn = type === 'function_call' || (type === 'reasoning' && input[index - 1]?.type === 'function_call')
    if (type !== 'function_call_output' && owed.length > 0 && !(callGoesOn && input[index - 1]?.type !== 'function_call_output')) {
      problem(`No tool output found for function call ${owed.join(', ')}`)
      owed = []
    }
    if (type === 'message') checkMessage(item, index === input.length - 1, problem)
    else if (type === 'reasoning') checkReasoning(item, input[index + 1], problem)
    else if (type === 'function_call') owed.push(checkCall(item, ids, idPattern, problem))
    else {
      const id = String(item.call_id)
      if (!owed.includes(id)) problem(`No tool call found for function call output with call_id ${id}`)
      owed = owed.filter((one) => one !== id)
      if (!isFilled(item.output)) problem('an output is blank')
    }
  })
  if (owed.length > 0) problems.push(`No tool output found for function call ${owed.join(', ')}`)
  return problems
}

const checkMessage = (item: Fields, isLast: boolean, problem: Problem): void => {
  const content = listOf(item.content)
  if (content.length === 0) problem('content is empty')
  if (item.role !== 'user' && item.role !== 'assistant') problem('has no known role')
  const text = item.role === 'user' ? 'input_text' : 'output_text'
  for (const part of content) {
    if (part.type === text) {
      if (!isFilled(part.text)) problem('a text part is blank')
    } else if (part.type === 'input_image' && item.role === 'user') {
      if (!isFilled(part.image_url)) problem('a picture has no URL')
    } else problem(`Invalid value: '${String(part.type)}'`)
  }
  const last = content.at(-1)?.text
  if (isLast && item.role === 'assistant' && last !== String(last).trimEnd()) problem('the last text has trailing blanks')
}

const checkReasoning = (item: Fields, next: Fields | undefined, problem: Problem): void => {
  if (!Array.isArray(item.summary)) problem('Missing required parameter: summary')
  if (!isFilled(item.encrypted_content) && listOf(item.content).length === 0)
    problem('not found: items are not persisted when store is false')
  for (const part of listOf(item.summary)) if (part.type !== 'summary_text' || typeof part.text !== 'string') problem('a bad summary')
  for (const part of listOf(item.content)) if (part.type !== 'reasoning_text' || typeof part.text !== 'string') problem('bad content')
  const follows = next?.type === 'function_call' || next?.type === 'reasoning' || (next?.type === 'message' && next.role === 'assistant')
  if (!follows) problem('was provided without its required following item')
}

const checkCall = (item: Fields, ids: Set<string>, idPattern: RegExp | undefined, problem: Problem): string => {
  const id = String(item.call_id)
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) problem(`the call_id ${id} is not in the alphabet`)
  if (idPattern !== undefined && !idPattern.test(id)) problem(`the call_id ${id} does not match ${String(idPattern)}`)
  if (ids.has(id)) problem(`the call_id ${id} is used twice`)
  ids.add(id)
  if (typeof item.name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(item.name)) problem(`Invalid name: ${String(item.name)}`)
  if (!isJsonObject(item.arguments)) problem('the arguments are not the JSON text of an object')
  return id
}

const checkTools = (tools: unknown, problem: Problem): void => {
  if (tools !== undefined && listOf(tools).length === 0) problem('tools are empty')
  for (const { type, name, parameters, strict } of listOf(tools)) {
    if (type !== 'function' || typeof name !== 'string') problem('Missing required parameter: tools[].name')
    if (strict !== false) problem(`the schema of ${String(name)} would be made strict`)
    if (!isFields(parameters) || parameters.type !== 'object') problem("schema must have type 'object'")
    else if (['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((key) => key in parameters)) problem('schema has a choice at the top level')
  }
}
