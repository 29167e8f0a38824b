// What callers and listeners hand to the loop: checked here, so that nothing taken from them can fail later, when it must be logged.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { ContentBlock, MessageId, Source } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import { freezeJson, markFrozen } from '../../storage/log/lossless-json.ts'
import type { HookContext } from '../hooks/tool.ts'

const refuse = (message: string): never => {
  throw new SideloopError('command/invalid', message)
}

/** The text fields that a block of each type must have. */
const TEXTS: { readonly [T in ContentBlock['type']]: readonly string[] } = {
  text: ['text'],
  reasoning: ['text'],
  image: ['blob', 'mediaType'],
  'tool-call': ['id', 'name', 'arguments'],
  'tool-result': ['toolCallId'],
}

const isBlock = (block: unknown): block is ContentBlock => {
  if (typeof block !== 'object' || block === null) return false
  const fields = block as Readonly<Record<string, unknown>>
  if (typeof fields.type !== 'string' || !Object.hasOwn(TEXTS, fields.type)) return false
  if (fields.type === 'tool-result' && !isContent(fields.content)) return false
  return TEXTS[fields.type as ContentBlock['type']].every((name) => typeof fields[name] === 'string')
}

export const isContent = (value: unknown): value is readonly ContentBlock[] => Array.isArray(value) && value.every(isBlock)

/** A frozen copy. Errors: `command/invalid`, `session/invalid` for what is not plain JSON. */
export const readContent = (given: string | readonly ContentBlock[], what = 'content'): readonly ContentBlock[] => {
  const content: unknown = freezeJson(typeof given === 'string' ? [{ type: 'text', text: given }] : given, what)
  return isContent(content) ? markFrozen(content) : refuse(`The ${what} must be text or a list of content blocks`)
}

export const readSource = (given: Source): Source => {
  const source = freezeJson(given, 'source')
  return typeof source?.kind === 'string' ? source : refuse("The source must be an object with a kind, such as { kind: 'user' }")
}

export const readMessageId = (given: MessageId): MessageId =>
  typeof given === 'string' && given !== '' ? given : refuse('A message id must be a text that is not empty')

/** Also from JavaScript, where a key may be there and undefined: that is as if it were not there. */
export const readContext = (given: HookContext): HookContext => {
  if (typeof given !== 'object' || given === null) return refuse('A context must be an object with content and a source')
  const { content, source, envelope, meta } = given
  if (envelope !== undefined && envelope !== 'context' && envelope !== 'raw') refuse(`The envelope of a context must be 'context' or 'raw'`)
  return Object.freeze({
    content: readContent(content, 'content of a context'),
    source: readSource(source),
    ...(envelope === undefined ? {} : { envelope }),
    ...(meta === undefined ? {} : { meta: freezeJson(meta, 'meta') }),
  })
}

const OPTIONS: { readonly [O in keyof AgentOptions]-?: 'string' | 'number' } = {
  provider: 'string',
  model: 'string',
  maxTokens: 'number',
  temperature: 'number',
  effort: 'string',
}

/** An option that is there and undefined is taken away. Errors: `command/invalid` for one that is unknown or of another kind. */
export const readOptions = (given: AgentOptions): AgentOptions => {
  const options = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of options) {
    if (!Object.hasOwn(OPTIONS, name)) refuse(`An agent has no option "${name}"; it has ${Object.keys(OPTIONS).join(', ')}`)
    const kind = OPTIONS[name as keyof AgentOptions]
    if (typeof value !== kind) refuse(`The agent's option ${name} must be a ${kind}`)
  }
  return freezeJson(Object.fromEntries(options))
}
