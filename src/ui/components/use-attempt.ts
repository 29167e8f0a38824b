// Tries a command of the person, and says why when it fails.
import { useCallback } from 'preact/hooks'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'

export const useAttempt = (): ((change: Promise<void>) => void) => {
  const { notices } = useApp()
  return useCallback(
    (change) => {
      change.catch((error: unknown) => notices.show({ kind: 'error', text: sayFailure(error) }))
    },
    [notices],
  )
}
