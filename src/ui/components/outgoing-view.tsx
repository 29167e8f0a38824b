// Messages on their way: sent and not yet in the log, or waiting for a turn that starts at once.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from './app-context.tsx'
import { SaidView } from './said-view.tsx'

export const OutgoingView = ({ goToEnd }: { readonly goToEnd: () => void }) => {
  const { current, sending } = useApp()
  const outgoing = sending.outgoing.value
  const live = current.live.value
  // While the agent runs or holds its queue, what waits is shown above the composer, where it can be changed.
  const waiting = live !== undefined && live.status === 'idle' && !live.held ? live.waiting : []
  const newest = outgoing.at(-1)?.id
  const followed = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (newest !== undefined && newest !== followed.current) goToEnd()
    followed.current = newest
  }, [newest, goToEnd])
  return (
    <>
      {waiting.map((message) => (
        <SaidView key={message.id} kind="user" id={message.id} content={message.content} state="sent" />
      ))}
      {outgoing.map((message) => (
        <SaidView
          key={message.id}
          kind={message.how === 'turn' ? 'user' : 'steering'}
          id={message.id}
          content={message.content}
          state="sending"
        />
      ))}
    </>
  )
}
