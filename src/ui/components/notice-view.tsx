// The notices at the edge of the page, and the words that a screen reader is given.
import { useEffect } from 'preact/hooks'
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import type { Notice } from '../state/notices.ts'
import { NOTICE_MS } from '../state/notices.ts'
import { useApp } from './app-context.tsx'
import { CloseIcon, Dots } from './icons.tsx'

export const NoticesView = () => {
  const { notices } = useApp()
  return (
    <div class="notice-place" role="status">
      {notices.shown.value.map((notice) => (
        <NoticeView key={numberOf(notice)} notice={notice} />
      ))}
    </div>
  )
}

/** An error stays until it is dismissed: nobody can be hurried to read one. */
const NoticeView = ({ notice }: { readonly notice: Notice }) => {
  const { notices } = useApp()
  const { kind, text, act, keeps, progress } = notice
  useEffect(() => {
    if (kind !== 'plain' || keeps) return
    const timer = setTimeout(() => notices.dismiss(notice), NOTICE_MS)
    return () => clearTimeout(timer)
  }, [notice, notices, kind, keeps])
  return (
    <div class="notice" data-kind={kind}>
      {kind === 'busy' ? <Dots /> : null}
      <span class="notice__text">{withoutHiddenMarks(text)}</span>
      {progress === undefined ? null : <progress class="notice__progress" aria-label="How far it is" value={progress.value} />}
      {act === undefined ? null : (
        <button type="button" class="link-button" onClick={act.run}>
          {act.label}
        </button>
      )}
      {kind === 'busy' ? null : (
        <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => notices.dismiss(notice)}>
          <CloseIcon />
        </button>
      )}
    </div>
  )
}

const numbers = new WeakMap<Notice, number>()
let last = 0

/** A notice keeps its element, and its time, when another one comes or goes. */
const numberOf = (notice: Notice): number => {
  const number = numbers.get(notice) ?? ++last
  numbers.set(notice, number)
  return number
}

export const SpokenWords = () => {
  const { notices } = useApp()
  return (
    <p class="hidden" role="status" aria-live="polite" data-spoken>
      {withoutHiddenMarks(notices.spoken.value)}
    </p>
  )
}
