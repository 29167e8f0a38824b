// The shape of every command's input, checked at the boundary: what comes from a page may be wrong or from another version.
import { messageOf, SideloopError } from '../../storage/log/errors.ts'
import type { AgentHost } from './agent-host.ts'
import { MOST_CHARACTERS } from './limits.ts'
import { byType, instanceOf, integer, listOf, number, object, oneOf, orNull, type Shape, text } from './shapes.ts'

type Group = keyof AgentHost
type InputOf<G extends Group, M extends keyof AgentHost[G]> = AgentHost[G][M] extends (input: infer I) => unknown ? I : never
/** Comes with its first use: what few sessions need is not loaded with all of them. */
type Later<T> = { readonly load: () => Promise<Shape<T>> }
type Commands = { readonly [G in Group]: { readonly [M in keyof AgentHost[G]]: Shape<InputOf<G, M>> | Later<InputOf<G, M>> } }

const id = text(200, 1)
const line = text(500)
/** Characters; far above what a person types, far below what would hurt. */
const words = text(MOST_CHARACTERS)

const content = listOf(
  byType({
    text: object({ type: oneOf('text'), text: words }),
    image: object({ type: oneOf('image'), blob: id, mediaType: line }, { name: line }),
  }),
  256,
  1,
)

const agentOptions = object({}, { provider: id, model: id, maxTokens: integer(1), temperature: number(0, 2), effort: line })

const taskOrder = object(
  {},
  {
    kind: oneOf('orchestrator', 'task', 'interview', 'explore', 'plan', 'setup'),
    maxSteps: integer(1),
    budget: object({}, { tokens: integer(1), cost: number(0, 1e9), ms: integer(1) }),
  },
)

const optionChanges = object(
  {},
  {
    provider: orNull(id),
    model: orNull(id),
    maxTokens: orNull(integer(1)),
    temperature: orNull(number(0, 2)),
    effort: orNull(line),
  },
)

const aboutProviders = () => import('./provider-shape.ts')

const session = { sessionId: id }
const message = { ...session, messageId: id }
const call = { ...session, callId: id }
const ofSession = object(session)
const ofMessage = object(message)
const ofRange = object({ ...session, after: integer(-1) }, { limit: integer(1) })
const ofContent = object({ ...message, content })
const ofPort = object({ port: instanceOf(MessagePort) })
const ofModel = object({ id })
const underWay = { attempt: id, progress: instanceOf(MessagePort) }
const nothing = object({})

const COMMANDS: Commands = {
  sessions: {
    create: object({}, { title: line, options: agentOptions }),
    list: object({}, { query: line, limit: integer(1) }),
    rename: object({ ...session, title: text(500, 1) }),
    remove: ofSession,
    save: ofSession,
    configure: object({ ...session, options: optionChanges }),
    fork: object({ ...session, beforeSeq: integer(0) }),
    export: object(session, underWay),
    exportAll: object({}, underWay),
    import: object({ file: instanceOf(Blob) }, underWay),
    stop: object({ attempt: id }),
  },
  drive: {
    send: ofContent,
    steer: ofContent,
    cancel: object(session, { reason: line, queue: oneOf('clear', 'hold') }),
    continue: ofSession,
    run: object({ ...message, content, task: taskOrder }),
    compact: ofSession,
  },
  queue: {
    edit: ofContent,
    remove: ofMessage,
    move: object({ ...message, before: orNull(id) }),
    retarget: object({ ...message, target: oneOf('turn', 'step') }),
    release: ofSession,
  },
  people: {
    answer: object({ ...call, answers: orNull(listOf(object({ id, chosen: listOf(line, 64) }, { text: words }), 16)) }),
    decide: object({
      ...call,
      decision: object({ kind: oneOf('allow', 'deny'), reach: oneOf('once', 'session', 'always') }, { note: line }),
    }),
    asked: nothing,
    ask: object({ tools: listOf(id, 1000) }),
  },
  log: {
    read: ofRange,
    packed: ofRange,
    newest: object(session, { events: integer(1) }),
    watch: object({ ...session, after: integer(-1), port: instanceOf(MessagePort) }),
  },
  tabs: { driver: ofSession, takeOver: ofSession },
  models: {
    list: nothing,
    providers: nothing,
    save: { load: async () => (await aboutProviders()).toSave },
    remove: object({ providerId: id }),
    test: { load: async () => (await aboutProviders()).toTry },
    discover: { load: async () => (await aboutProviders()).toTry },
    findLocal: object({}, { attempt: id }),
    stop: object({ attempt: id }),
    choose: object({ options: agentOptions }),
    chosen: nothing,
  },
  local: {
    list: nothing,
    add: { load: async () => (await import('./local-model-shape.ts')).toAdd },
    download: ofModel,
    stop: ofModel,
    remove: ofModel,
  },
  bridges: { promptApi: ofPort },
  news: { listen: ofPort },
  files: {
    list: object(session, { folder: line }),
    read: object({ ...session, path: line }),
  },
  health: { ping: nothing },
}

type AnyMethod = (input: unknown) => Promise<unknown>

const checked =
  (name: string, given: Shape<unknown> | Later<unknown>, method: AnyMethod): AnyMethod =>
  async (input) => {
    const shape = typeof given === 'function' ? given : await given.load()
    let read: unknown
    try {
      read = shape(input, '')
    } catch (error) {
      throw new SideloopError('command/invalid', `${name} was given something it cannot take: ${messageOf(error)}`)
    }
    return method(read)
  }

/** The same host behind checked doors. Errors: `command/invalid`, with the place that is wrong. */
export const checkCommands = (host: AgentHost): AgentHost => {
  const groups = Object.entries(COMMANDS).map(([group, methods]) => {
    const target = host[group as Group] as Record<string, AnyMethod>
    const doors = Object.entries(methods).map(([name, shape]) => [
      name,
      checked(`${group}.${name}`, shape as Shape<unknown> | Later<unknown>, (input) => target[name]!(input)),
    ])
    return [group, Object.fromEntries(doors)]
  })
  return Object.fromEntries(groups) as AgentHost
}
