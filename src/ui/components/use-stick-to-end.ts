// Follows the newest words while the reader is at the end, and leaves the reader alone anywhere else.
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'

const NEAR = 24
/** What shows more when it is clicked. */
const CLOSED = '[aria-expanded=false]:not([aria-haspopup]), details:not([open]) > summary'

/** `setAway` is told when the reader leaves the end and when they are back. `notice` looks where they are before the content changes. */
export const useStickToEnd = (setAway: (away: boolean) => void) => {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const notice = useRef(() => {})

  const goToEnd = useCallback(() => {
    follows.current = true
    setAway(false)
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [setAway])

  useLayoutEffect(() => {
    const view = scroller.current
    if (view === null || content.current === null) return
    let lastTop = view.scrollTop
    let lastHeight = view.scrollHeight
    const distance = () => view.scrollHeight - view.clientHeight - view.scrollTop
    // Only a movement upwards is a wish to leave: content that grows moves the end away, and content that shrinks moves the reader.
    const noticeLeaving = () => {
      if (view.scrollTop < lastTop - 1 && view.scrollHeight >= lastHeight && distance() > 2) follows.current = false
    }
    const remember = () => {
      lastTop = view.scrollTop
      lastHeight = view.scrollHeight
    }
    const onScroll = () => {
      noticeLeaving()
      if (distance() <= NEAR) follows.current = true
      remember()
      setAway(!follows.current && distance() > NEAR)
    }
    // After layout and before paint: reading the height here costs nothing more. A move of this frame may not have been told yet.
    const observer = new ResizeObserver(() => {
      noticeLeaving()
      if (follows.current) view.scrollTop = view.scrollHeight
      else setAway(distance() > NEAR)
      remember()
    })
    /** Who opens something wants to read it from its beginning, where it stands. */
    const onClick = ({ target }: Event) => {
      if (target instanceof Element && target.closest(CLOSED) !== null) follows.current = false
    }
    notice.current = onScroll
    observer.observe(content.current)
    observer.observe(view)
    view.addEventListener('scroll', onScroll, { passive: true })
    view.addEventListener('click', onClick, true) // before it is open
    return () => {
      observer.disconnect()
      view.removeEventListener('scroll', onScroll)
      view.removeEventListener('click', onClick, true)
    }
  }, [setAway])
  return { scroller, content, goToEnd, notice }
}
