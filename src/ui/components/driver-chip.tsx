// That another tab drives this session, and the way to have it driven here. Nothing else of the page depends on it.
import { useRef } from 'preact/hooks'
import { useApp } from './app-context.tsx'
import { Dots, TabsIcon } from './icons.tsx'
import { useFocusHandover } from './use-focus-handover.ts'

export const DriverChip = () => {
  const { driving } = useApp()
  return driving.isElsewhere.value ? <Chip /> : null
}

const Chip = () => {
  const { driving, current } = useApp()
  const place = useRef<HTMLSpanElement>(null)
  useFocusHandover(place)
  const isTakingOver = driving.isTakingOver.value
  const isRunning = current.phase.value === 'running'
  const about = isRunning ? 'Stops what runs there; you can let it go on here' : 'From then on this tab does the work'
  return (
    <span class="driver" data-driver="elsewhere" ref={place}>
      <TabsIcon />
      <span>Driven by another tab</span>
      <button
        type="button"
        class="link-button driver__act"
        title={about}
        aria-disabled={isTakingOver} // it keeps the focus meanwhile
        onClick={() => void driving.takeOver()}
      >
        {isTakingOver ? (
          <>
            Taking over <Dots />
          </>
        ) : (
          'Take over here'
        )}
      </button>
    </span>
  )
}
