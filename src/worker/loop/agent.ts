// One agent: the verbs that people and plugins call. They write into the inbox or the log; the turns follow from that.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { AgentId, ContentBlock, MessageId, Source } from '../../storage/log/content.ts'
import { messageOf, SideloopError } from '../../storage/log/errors.ts'
import type { SessionLog } from '../../storage/log/session-log.ts'
import type { Agent, Session } from '../hooks/agent.ts'
import { runOf } from '../hooks/run-of.ts'
import type { HookContext } from '../hooks/tool.ts'
import { addContext, appendContext } from './contexts.ts'
import type { Driver, LoopPorts } from './driver.ts'
import { createInbox } from './inbox.ts'
import { readContent, readContext, readMessageId, readOptions, readSource } from './read-input.ts'
import { createTurns } from './turns.ts'

export type AgentSeat = {
  readonly id: AgentId
  readonly session: Session
  readonly log: SessionLog
  /** As `readOptions` gives them. */
  readonly options: AgentOptions
  /** Called once, when the agent has come to rest for good, before `done` resolves. */
  readonly onEnd: (agent: Agent) => void
}

/** The agent as everybody sees it, and what only its owner may do. */
export type OwnedAgent = {
  readonly agent: Agent
  /** The beginning of `dispose`: the running turn is stopped, and none begins any more. */
  end(): void
  /** To quiescence. */
  dispose(): Promise<void>
}

const USER: Source = Object.freeze({ kind: 'user' })

export const createAgent = (ports: LoopPorts, { id, session, log, options: initial, onEnd }: AgentSeat): OwnedAgent => {
  const { bus, newId, report } = ports
  const inbox = createInbox(report)
  let options = initial
  let disposing: Promise<void> | undefined
  let finish: () => void
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })

  const requireAlive = (): void => {
    if (turns.disposed) throw new SideloopError('agent/disposed', `The agent ${id} is disposed: open its session again to go on`)
  }

  const enqueue = (
    given: string | readonly ContentBlock[],
    steering: boolean,
    info: { readonly source?: Source; readonly id?: MessageId } = {},
  ): MessageId => {
    requireAlive()
    const content = readContent(given)
    const source = readSource(info.source ?? USER)
    const messageId = readMessageId(info.id ?? newId())
    if (log.hasMessage(messageId) || inbox.has(messageId)) return messageId
    inbox.add({ id: messageId, content, source, target: steering ? 'step' : 'turn' })
    if (source.kind === 'user') inbox.release()
    bus.emit('agent/queued', agent, content, { id: messageId, source, steering })
    turns.wake()
    return messageId
  }

  /** A turn of its own, without a step: the model is not woken. */
  const injectAlone = (context: HookContext): void => {
    const turn = log.lastTurn + 1
    log.append('turn/start', { turn, trigger: { kind: 'injection', source: context.source } })
    appendContext(driver, context)
    log.append('turn/end', { turn, reason: { kind: 'completed' } })
    turns.flushAside()
  }

  const agent: Agent = {
    id,
    session,
    inbox,
    done,
    get options() {
      return options
    },
    get status() {
      return turns.status
    },
    send: (content, info) => enqueue(content, false, info),
    steer: (content, info) => enqueue(content, turns.status === 'running', info),
    inject(content, { source = USER, ...more } = {}) {
      requireAlive()
      const context = readContext({ content: readContent(content), source, ...more })
      if (log.notifying) throw new SideloopError('session/invalid', 'Nothing can be injected from inside a session/event listener')
      if (log.turnOpen) addContext(driver, context)
      else injectAlone(context)
    },
    continue(info) {
      requireAlive()
      const source = readSource(info?.source ?? USER)
      inbox.release()
      turns.goOn(source)
      turns.wake()
    },
    cancel(reason = 'cancelled', info) {
      if (!turns.awake || turns.disposed) return
      const queue = info?.queue ?? (runOf(agent) === undefined ? 'clear' : 'hold') // what waits behind a task run is not lost with it
      if (queue === 'hold') inbox.hold()
      else inbox.clear()
      turns.cancel(messageOf(reason))
    },
    configure(next) {
      requireAlive()
      options = readOptions({ ...options, ...next })
    },
    whenIdle: () => turns.whenIdle(),
  }

  const driver: Driver = {
    ...ports,
    agent,
    log,
    inbox,
    prefix: undefined,
    headerLogged: false,
    heldContexts: undefined,
  }
  const turns = createTurns(driver)
  inbox.onChange(() => turns.wake()) // a release, or a prompt that a person moved back from steering, is work too
  turns.wake() // and so is a turn that waits for a person

  return {
    agent,
    end: () => turns.end(),
    dispose() {
      disposing ??= turns.dispose().then(() => {
        onEnd(agent)
        finish()
      })
      return disposing
    },
  }
}
