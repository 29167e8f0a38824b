// A notice at the edge of the page, and the words that a screen reader is given.
import { useEffect } from 'preact/hooks'
import { UNDO_MS } from '../state/session-list.ts'
import { useApp } from './app-context.tsx'
import { CloseIcon } from './icons.tsx'

/** An error stays until it is dismissed: nobody can be hurried to read one. */
export const NoticeView = () => {
  const { notices } = useApp()
  const notice = notices.notice.value
  useEffect(() => {
    if (notice === undefined || notice.kind === 'error') return
    const timer = setTimeout(() => notices.dismiss(notice), UNDO_MS)
    return () => clearTimeout(timer)
  }, [notice, notices])
  return (
    <div class="notice-place" role="status">
      {notice === undefined ? null : (
        <div class="notice" data-kind={notice.kind}>
          <span>{notice.text}</span>
          {notice.act === undefined ? null : (
            <button type="button" class="link-button" onClick={notice.act.run}>
              {notice.act.label}
            </button>
          )}
          <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => notices.dismiss(notice)}>
            <CloseIcon />
          </button>
        </div>
      )}
    </div>
  )
}

export const SpokenWords = () => {
  const { notices } = useApp()
  return (
    <p class="hidden" role="status" aria-live="polite" data-spoken>
      {notices.spoken.value}
    </p>
  )
}
