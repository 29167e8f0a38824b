// One agent: the verbs that people and plugins call, and the driver that takes turns while there is work.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { ContentBlock, MessageId, Source } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import { freezeJson } from '../../storage/log/lossless-json.ts'
import type { SessionLog } from '../../storage/log/session-log.ts'
import type { Agent, Session } from '../hooks/agent.ts'
import { appendContext, type Driver, type LoopPorts } from './driver.ts'
import { createInbox } from './inbox.ts'
import { type Opening, runTurn, type StopCause } from './run-turn.ts'

export type AgentSeat = {
  readonly id: string
  readonly session: Session
  readonly log: SessionLog
  readonly options: AgentOptions
}

/** The agent as everybody sees it, and the one thing that only its owner may do. */
export type OwnedAgent = { readonly agent: Agent; dispose(): Promise<void> }

const USER: Source = { kind: 'user' }

const asContent = (content: string | readonly ContentBlock[]): readonly ContentBlock[] =>
  freezeJson(typeof content === 'string' ? [{ type: 'text', text: content }] : content, 'content')

export const createAgent = (ports: LoopPorts, { id, session, log, options: initial }: AgentSeat): OwnedAgent => {
  const { bus, newId, report } = ports
  const inbox = createInbox(report)
  let options = freezeJson(initial)
  let status: Agent['status'] = 'idle'
  let disposing: Promise<void> | undefined
  let driving: Promise<void> | undefined
  let settling: Promise<void> | undefined
  let continueFor: Source | undefined
  let current: { readonly controller: AbortController; cause: StopCause | undefined } | undefined
  let finished: () => void
  const done = new Promise<void>((resolve) => {
    finished = resolve
  })

  const setStatus = (next: Agent['status']): void => {
    if (next === status) return
    status = next
    bus.emit('agent/status', agent, next)
  }

  /** Once per turn, while the status is not idle yet. A failure is told, outside the turn. */
  const flush = async (): Promise<void> => {
    try {
      await bus.parallel('session/flush', session)
    } catch (error) {
      bus.emit('agent/error', agent, log.lastTurn, 1, error instanceof Error ? error : new Error(String(error)))
    }
  }

  const hasWork = (): boolean => disposing === undefined && (continueFor !== undefined || inbox.hasPrompts())

  const nextOpening = (): Opening => {
    const messages = inbox.take('turn')
    const source = continueFor ?? USER
    continueFor = undefined
    return messages[0] === undefined
      ? { trigger: { kind: 'continue', source }, messages }
      : { trigger: { kind: 'message', source: messages[0].source }, messages }
  }

  const drive = async (): Promise<void> => {
    await Promise.resolve() // `send` leaves the status idle in its own tick, and two sends in one tick share a turn
    while (hasWork()) {
      setStatus('running')
      if (!hasWork()) break // a listener may have cancelled
      const turn: NonNullable<typeof current> = { controller: new AbortController(), cause: undefined }
      current = turn
      await runTurn(driver, nextOpening(), turn.controller.signal, () => turn.cause)
      current = undefined
      await flush()
      inbox.requeueSteering()
    }
    driving = undefined
    if (disposing === undefined) setStatus('idle')
  }

  const wake = (): void => {
    driving ??= hasWork() ? drive() : undefined
  }

  const requireAlive = (): void => {
    if (disposing !== undefined) throw new SideloopError('agent/disposed', `The agent ${id} is disposed: open its session again to go on`)
  }

  const enqueue = (
    given: string | readonly ContentBlock[],
    steering: boolean,
    source: Source = USER,
    messageId: MessageId = newId(),
  ): MessageId => {
    requireAlive()
    const content = asContent(given)
    if (log.hasMessage(messageId) || inbox.has(messageId)) return messageId
    inbox.add({ id: messageId, content, source, target: steering ? 'step' : 'turn' })
    if (source.kind === 'user') inbox.release()
    bus.emit('agent/queued', agent, content, { id: messageId, source, steering })
    wake()
    return messageId
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
      return status
    },
    send: (content, given) => enqueue(content, false, given?.source, given?.id),
    steer: (content, given) => enqueue(content, status === 'running', given?.source, given?.id),
    inject(given, { source = USER, envelope, meta } = {}) {
      requireAlive()
      const context = freezeJson({
        content: asContent(given),
        source,
        ...(envelope === undefined ? {} : { envelope }),
        ...(meta === undefined ? {} : { meta }),
      })
      if (driver.heldContexts !== undefined) {
        driver.heldContexts.push(context)
      } else if (log.turnOpen) {
        appendContext(driver, context)
      } else {
        const turn = log.lastTurn + 1
        log.append('turn/start', { turn, trigger: { kind: 'injection', source } })
        appendContext(driver, context)
        log.append('turn/end', { turn, reason: { kind: 'completed' } })
        settling = Promise.all([settling, flush()]).then(() => {})
      }
    },
    continue(given) {
      requireAlive()
      inbox.release()
      if (current === undefined) continueFor = given?.source ?? USER
      wake()
    },
    cancel(reason = 'cancelled', given) {
      if (driving === undefined || disposing !== undefined) return
      if (given?.queue === 'hold') inbox.hold()
      else inbox.clear()
      continueFor = undefined
      if (current === undefined || current.cause !== undefined || !log.turnOpen) return
      current.cause = { kind: 'aborted', reason }
      current.controller.abort()
    },
    configure(next) {
      requireAlive()
      options = freezeJson({ ...options, ...next })
    },
    async whenIdle() {
      while (driving !== undefined || settling !== undefined) {
        const settled = settling
        await Promise.all([driving, settled])
        if (settling === settled) settling = undefined
      }
    },
  }

  const driver: Driver = { ...ports, agent, log, inbox, prefix: undefined, headerLogged: false, heldContexts: undefined }
  inbox.onChange(wake) // a release, or a prompt that a person moved back from steering, is work too

  const dispose = (): Promise<void> => {
    disposing ??= (async () => {
      await Promise.resolve() // the flag is set before anything below looks at it
      if (current !== undefined) {
        current.cause = { kind: 'disposed' }
        current.controller.abort()
      }
      await agent.whenIdle()
      setStatus('disposed')
      bus.emit('agent/disposed', agent)
      finished()
    })()
    return disposing
  }
  return { agent, dispose }
}
