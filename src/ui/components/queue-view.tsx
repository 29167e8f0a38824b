// What waits for the agent: to be read, changed, taken back, or given to it at once. After a stop it is held until a person says.
import { useRef } from 'preact/hooks'
import type { AgentSession, Waiting } from '../state/agent-client.ts'
import { useApp } from './app-context.tsx'
import { QueueRow } from './queue-row.tsx'
import { useAttempt } from './use-attempt.ts'
import { useFocusHandover } from './use-focus-handover.ts'

export const QueueView = () => {
  const { current } = useApp()
  const live = current.live.value
  const opened = current.opened.value
  if (live === undefined || live.waiting.length === 0 || opened.kind !== 'open') return null
  const phase = current.phase.value
  const isRunning = phase === 'running' || phase === 'waiting'
  if (!isRunning && !live.held) return null // its turn starts in a moment; the conversation shows it
  return (
    <section class="queue" aria-label="Waiting messages" data-held={live.held}>
      {live.held ? <Held session={opened.session} waiting={live.waiting} /> : null}
      <ol class="queue__list">
        {live.waiting.map((message) => (
          <QueueRow key={message.id} message={message} session={opened.session} canSteer={isRunning} />
        ))}
      </ol>
    </section>
  )
}

const Held = ({ session, waiting }: { readonly session: AgentSession; readonly waiting: readonly Waiting[] }) => {
  const { queueEdits } = useApp()
  const attempt = useAttempt()
  const place = useRef<HTMLDivElement>(null)
  useFocusHandover(place)
  const count = waiting.length
  const discard = async () => {
    for (const { id } of waiting) queueEdits.leave(id)
    for (const { id } of waiting) await session.queue.remove(id)
  }
  return (
    <div class="queue__held" ref={place}>
      <span>{count === 1 ? 'Stopped. One message is held.' : `Stopped. ${count} messages are held.`}</span>
      <button type="button" class="button button--small" onClick={() => attempt(session.queue.release())}>
        {count === 1 ? 'Send it now' : 'Send them now'}
      </button>
      <button type="button" class="button button--small button--quiet" onClick={() => attempt(discard())}>
        Discard
      </button>
    </div>
  )
}
