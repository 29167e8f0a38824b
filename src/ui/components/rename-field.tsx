// The name of a session, to be changed in its place: Enter or leaving takes it, Escape leaves it as it was.
import { useRef } from 'preact/hooks'
import type { SessionListed } from '../state/agent-client.ts'
import { useApp } from './app-context.tsx'
import { isEscape, isPlainEnter } from './keys.ts'

type Props = { readonly session: Pick<SessionListed, 'id' | 'title'>; readonly onEnd: () => void }

export const RenameField = ({ session, onEnd }: Props) => {
  const { list } = useApp()
  const over = useRef(false) // leaving the field by Enter or Escape also blurs it
  const end = (title: string | undefined) => {
    if (over.current) return
    over.current = true
    onEnd()
    const next = title?.trim() ?? ''
    if (next !== '' && next !== session.title) void list.rename(session.id, next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const field = event.currentTarget as HTMLInputElement
    if (isPlainEnter(event)) end(field.value)
    if (isEscape(event)) {
      event.stopPropagation()
      end(undefined)
    }
  }
  return (
    <input
      class="field session__rename"
      aria-label="Name of the session"
      defaultValue={session.title}
      maxLength={200}
      ref={(field) => {
        if (field !== null && document.activeElement !== field) field.select()
      }}
      onKeyDown={onKeyDown}
      onBlur={(event) => end(event.currentTarget.value)}
    />
  )
}
