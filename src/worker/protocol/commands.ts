// The shape of every command's input, checked at the boundary: what comes from a page may be wrong or from another version.
import { z } from 'zod/mini'
import { SideloopError } from '../../storage/log/errors.ts'
import type { AgentHost } from './agent-host.ts'

type Group = keyof AgentHost
type InputOf<G extends Group, M extends keyof AgentHost[G]> = AgentHost[G][M] extends (input: infer I) => unknown ? I : never
type Commands = { readonly [G in Group]: { readonly [M in keyof AgentHost[G]]: z.ZodMiniType<InputOf<G, M>> } }

/** Characters; far above what a person types, far below what would hurt. */
const MAX_TEXT = 4_000_000
const MAX_BLOCKS = 256

const id = z.string().check(z.minLength(1), z.maxLength(200))
const text = z.string().check(z.maxLength(MAX_TEXT))
const line = z.string().check(z.maxLength(500))

const content = z
  .array(
    z.union([
      z.object({ type: z.literal('text'), text }),
      z.object({ type: z.literal('image'), blob: id, mediaType: line, name: z.exactOptional(line) }),
    ]),
  )
  .check(z.minLength(1), z.maxLength(MAX_BLOCKS))

const agentOptions = z.object({
  provider: z.exactOptional(id),
  model: z.exactOptional(id),
  maxTokens: z.exactOptional(z.int().check(z.positive())),
  temperature: z.exactOptional(z.number().check(z.gte(0), z.lte(2))),
  effort: z.exactOptional(line),
})

const providerDraft = z.object({
  id: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'use lower-case letters, digits and hyphens')),
  label: line,
  api: z.literal('openai-chat'),
  baseUrl: z
    .string()
    .check(z.regex(/^https?:\/\/[^\s]+$/i, 'give a whole address that starts with http:// or https://'), z.maxLength(2000)),
  models: z.array(id).check(z.maxLength(2000)),
  key: z.exactOptional(z.string().check(z.maxLength(10_000))),
})

const session = { sessionId: id }
const message = { ...session, messageId: id }
const nothing = z.object({})
const after = z.int().check(z.gte(-1))
const limit = z.exactOptional(z.int().check(z.positive()))
const queueMode = z.exactOptional(z.enum(['clear', 'hold']))

const COMMANDS: Commands = {
  sessions: {
    create: z.object({ title: z.exactOptional(line), options: z.exactOptional(agentOptions) }),
    list: z.object({ query: z.exactOptional(line), limit }),
    rename: z.object({ ...session, title: line.check(z.minLength(1)) }),
    remove: z.object(session),
    save: z.object(session),
    configure: z.object({ ...session, options: agentOptions }),
  },
  drive: {
    send: z.object({ ...message, content }),
    steer: z.object({ ...message, content }),
    cancel: z.object({ ...session, reason: z.exactOptional(line), queue: queueMode }),
    continue: z.object(session),
  },
  queue: {
    edit: z.object({ ...message, content }),
    remove: z.object(message),
    move: z.object({ ...message, before: z.nullable(id) }),
    retarget: z.object({ ...message, target: z.enum(['turn', 'step']) }),
    release: z.object(session),
  },
  log: {
    read: z.object({ ...session, after, limit }),
    watch: z.object({ ...session, after, port: z.instanceof(MessagePort) }),
  },
  models: {
    list: nothing,
    providers: nothing,
    save: z.object({ provider: providerDraft }),
    remove: z.object({ providerId: id }),
    test: z.object({ provider: providerDraft }),
    discover: z.object({ provider: providerDraft }),
    choose: z.object({ options: agentOptions }),
    chosen: nothing,
  },
  files: {
    list: z.object({ ...session, folder: z.exactOptional(line) }),
    read: z.object({ ...session, path: line }),
  },
  health: { ping: nothing },
}

type AnyMethod = (input: unknown) => Promise<unknown>

const checked =
  (name: string, schema: z.ZodMiniType, method: AnyMethod): AnyMethod =>
  async (input) => {
    const result = schema.safeParse(input)
    if (result.success) return method(result.data)
    const where = result.error.issues.map(({ path, message: what }) => `${path.join('.') || 'the input'}: ${what}`).join('; ')
    throw new SideloopError('command/invalid', `${name} was given something it cannot take: ${where}`)
  }

/** The same host behind checked doors. Errors: `command/invalid`, with the place that is wrong. */
export const checkCommands = (host: AgentHost): AgentHost => {
  const groups = Object.entries(COMMANDS).map(([group, methods]) => {
    const target = host[group as Group] as Record<string, AnyMethod>
    const doors = Object.entries(methods).map(([name, schema]) => [
      name,
      checked(`${group}.${name}`, schema as z.ZodMiniType, (input) => target[name]!(input)),
    ])
    return [group, Object.fromEntries(doors)]
  })
  return Object.fromEntries(groups) as AgentHost
}
