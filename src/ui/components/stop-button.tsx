// Stops the turn; when it is gone with the turn, the focus is not.
import { useRef } from 'preact/hooks'
import { StopIcon } from './icons.tsx'
import { useFocusHandover } from './use-focus-handover.ts'
import { useStop } from './use-stop.ts'

export const StopButton = ({ small = false }: { readonly small?: boolean }) => {
  const stop = useStop()
  const button = useRef<HTMLButtonElement>(null)
  useFocusHandover(button)
  return (
    <button type="button" class={small ? 'button button--stop button--small' : 'button button--stop'} ref={button} onClick={stop}>
      <StopIcon /> Stop
    </button>
  )
}
