// What Anthropic accepts as a request: its rules a second time, as a list of problems, each with the words of its answer where they are known.
import { loneSurrogates } from './lone-surrogates.ts'

type Fields = { readonly [key: string]: unknown }
type Problem = (words: string) => void
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isFilled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map((entry) => (isFields(entry) ? entry : {})) : [])

const BODY_KEYS = [
  ...['model', 'max_tokens', 'system', 'messages', 'tools', 'temperature', 'stop_sequences', 'thinking', 'output_config', 'stream'],
]
const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** An empty list: the body is accepted. `idPattern`: what a case says of call ids, besides Anthropic's own rule. */
export const anthropicHistoryProblems = (body: unknown, idPattern?: RegExp): readonly string[] => {
  const problems: string[] = []
  if (!isFields(body)) return ['the body is no object']
  for (const key of Object.keys(body)) if (!BODY_KEYS.includes(key)) problems.push(`${key}: Extra inputs are not permitted`)
  for (const place of loneSurrogates(body)) problems.push(`${place} holds half of a surrogate pair`)
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) problems.push('max_tokens: Field required')
  checkTools(body.tools, (words) => problems.push(words))
  const messages = listOf(body.messages)
  if (messages.length === 0) problems.push('messages: at least one message is required')
  if (messages[0]?.role !== 'user') problems.push('messages: first message must use the "user" role')
  const system = typeof body.system === 'string' ? [{ type: 'text', text: body.system }] : listOf(body.system)
  for (const block of system) if (!isFilled(block.text)) problems.push('system: text content blocks must be non-empty')

  const ids = new Set<string>()
  let owed: readonly string[] = []
  messages.forEach((message, index) => {
    const problem: Problem = (words) => problems.push(`messages.${index}: ${words}`)
    for (const key of Object.keys(message)) if (key !== 'role' && key !== 'content') problem(`${key}: Extra inputs are not permitted`)
    if (message.role !== 'user' && message.role !== 'assistant') problem('role must be user or assistant')
    if (message.role === messages[index - 1]?.role) problem('roles must alternate between "user" and "assistant"')
    const content = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : listOf(message.content)
    if (content.length === 0) problem('must have non-empty content')
    if (message.role === 'user') {
      checkUser(content, owed, problem)
      owed = []
    } else {
      if (owed.length > 0) problem(`tool_use ids were found without tool_result blocks: ${owed.join(', ')}`)
      const isLast = index === messages.length - 1
      owed = checkAssistant(content, ids, idPattern, isLast, problem)
      if (isLast && owed.length > 0) problem(`tool_use ids were found without tool_result blocks: ${owed.join(', ')}`)
    }
  })
  problems.push(...thinkingProblems(body, messages), ...cacheProblems(body))
  return problems
}

const checkUser = (content: readonly Fields[], owed: readonly string[], problem: Problem): void => {
  const results = content.filter(({ type }) => type === 'tool_result')
  if (content.slice(0, results.length).some(({ type }) => type !== 'tool_result')) problem('tool_result blocks must come first')
  const answered = results.map(({ tool_use_id: id }) => String(id))
  for (const id of owed) if (!answered.includes(id)) problem(`tool_use ids were found without tool_result blocks: ${id}`)
  answered.forEach((id, index) => {
    if (!owed.includes(id)) problem(`unexpected tool_use_id found in tool_result blocks: ${id}`)
    if (answered.indexOf(id) !== index) problem(`each tool_use must have a single result: ${id}`)
  })
  for (const block of content) {
    if (block.type !== 'tool_result') checkPart(block, problem)
    else {
      const parts = typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : listOf(block.content)
      if (parts.length === 0) problem('a tool_result is empty')
      for (const part of parts) checkPart(part, problem)
      if (block.is_error === true && parts.some(({ type }) => type !== 'text'))
        problem('all content must be type `text` if `is_error` is true')
    }
  }
}

const checkPart = (block: Fields, problem: Problem): void => {
  if (block.type === 'text') {
    if (!isFilled(block.text)) problem('text content blocks must contain non-whitespace text')
    return
  }
  if (block.type !== 'image') {
    problem(`unexpected block ${String(block.type)}`)
    return
  }
  const source = isFields(block.source) ? block.source : {}
  if (source.type === 'url' ? !isFilled(source.url) : source.type !== 'base64' || !isFilled(source.data)) problem('a picture has no source')
  if (source.type === 'base64' && !MEDIA_TYPES.includes(String(source.media_type))) problem(`media_type: ${String(source.media_type)}`)
}

const checkAssistant = (
  content: readonly Fields[],
  ids: Set<string>,
  idPattern: RegExp | undefined,
  isLast: boolean,
  problem: Problem,
): readonly string[] => {
  const calls: string[] = []
  for (const block of content) {
    if (block.type === 'text') checkPart(block, problem)
    else if (block.type === 'thinking') {
      if (typeof block.thinking !== 'string' || typeof block.signature !== 'string') problem('thinking.signature: Field required')
      if (block.cache_control !== undefined) problem('thinking.cache_control: Extra inputs are not permitted')
    } else if (block.type === 'redacted_thinking') {
      if (!isFilled(block.data)) problem('redacted_thinking.data: Field required')
    } else if (block.type === 'tool_use') {
      const id = String(block.id)
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) problem(`tool_use.id: String should match pattern: ${id}`)
      if (idPattern !== undefined && !idPattern.test(id)) problem(`the id ${id} does not match ${String(idPattern)}`)
      if (ids.has(id)) problem(`tool_use ids must be unique: ${id}`)
      ids.add(id)
      calls.push(id)
      if (typeof block.name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(block.name)) problem(`tool_use.name: ${String(block.name)}`)
      if (!isFields(block.input)) problem('tool_use.input: Input should be a valid dictionary')
    } else problem(`unexpected block ${String(block.type)}`)
  }
  const last = content.at(-1)
  if (isLast && last?.type === 'text' && last.text !== String(last.text).trimEnd()) {
    problem('final assistant content cannot end with trailing whitespace')
  }
  return calls
}

const isThinking = (block: Fields | undefined): boolean => block?.type === 'thinking' || block?.type === 'redacted_thinking'

const checkTools = (tools: unknown, problem: Problem): void => {
  if (tools !== undefined && listOf(tools).length === 0) problem('tools: empty')
  for (const { name, input_schema: schema } of listOf(tools)) {
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) problem(`tools.name: ${String(name)}`)
    if (!isFields(schema) || schema.type !== 'object') problem('tools.input_schema.type: Field required')
    else if ('anyOf' in schema || 'oneOf' in schema || 'allOf' in schema) {
      problem('input_schema does not support oneOf, allOf, or anyOf at the top level')
    }
  }
}

const thinkingProblems = (body: Fields, messages: readonly Fields[]): readonly string[] => {
  const thinking = isFields(body.thinking) ? body.thinking : {}
  if (thinking.type !== 'enabled') return []
  const problems: string[] = []
  const budget = Number(thinking.budget_tokens)
  if (!(budget >= 1024)) problems.push('thinking.budget_tokens: Input should be greater than or equal to 1024')
  if (!(budget < Number(body.max_tokens))) problems.push('max_tokens must be greater than thinking.budget_tokens')
  if (body.temperature !== undefined && body.temperature !== 1) problems.push('temperature may only be set to 1 when thinking is enabled')
  if (messages.at(-1)?.role === 'assistant') problems.push('a final assistant message must start with a thinking block')
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && listOf(content)[0]?.type !== 'tool_result')
  const loop = messages.slice(asked + 1).map(({ content }) => listOf(content))
  if (
    /claude/.test(String(body.model)) &&
    loop.some((blocks) => blocks.some(({ type }) => type === 'tool_use') && !isThinking(blocks[0]))
  ) {
    problems.push('Expected `thinking` or `redacted_thinking`, but found another block first')
  }
  return problems
}

const cacheProblems = (body: Fields): readonly string[] => {
  const marks = JSON.stringify(body).split('"cache_control":').length - 1
  return marks > 4 ? [`A maximum of 4 blocks with cache_control may be provided. Found ${marks}`] : []
}
