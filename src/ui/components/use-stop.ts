// Stops the turn and holds what waits: a stop must never start the next thing.
import { useCallback } from 'preact/hooks'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'
import { STOPPED_BY_PERSON } from './ending-view.tsx'

export const useStop = (): (() => void) => {
  const { current, notices } = useApp()
  return useCallback(() => {
    const opened = current.opened.peek()
    if (opened.kind !== 'open') return
    opened.session
      .cancel(STOPPED_BY_PERSON, { queue: 'hold' })
      .catch((error: unknown) => notices.show({ kind: 'error', text: `Not stopped. ${sayFailure(error)}` }))
  }, [current, notices])
}
