// Where a fork leaves what it took over: from which session it is, and the way back there.
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import { useApp } from './app-context.tsx'
import { ForkIcon } from './icons.tsx'

export const ForkSeam = () => {
  const { list, current } = useApp()
  const forkOf = list.row.value?.forkOf
  if (forkOf === undefined) return null
  const original = list.find(forkOf.sessionId)
  return (
    <p class="rule" data-fork-of={forkOf.sessionId}>
      <span class="seam">
        <ForkIcon />
        {original === undefined ? (
          'Forked here from a session that is not here any more'
        ) : (
          <>
            Forked here from{' '}
            <button type="button" class="link-button" onClick={() => current.open(original.id)}>
              {withoutHiddenMarks(original.title) || 'Untitled'}
            </button>
          </>
        )}
      </span>
    </p>
  )
}
