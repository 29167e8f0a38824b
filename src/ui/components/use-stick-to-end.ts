// Follows the newest words while the reader is at the end, and leaves the reader alone anywhere else.
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'

const NEAR = 24

/** `setAway` is told when the reader leaves the end and when they are back. */
export const useStickToEnd = (setAway: (away: boolean) => void) => {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const follows = useRef(true)

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
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = view
      const distance = scrollHeight - clientHeight - scrollTop
      // Only a movement upwards is a wish to leave; content that grew or shrank moves the end, not the reader.
      const wentUp = scrollTop < lastTop - 1 && scrollHeight >= lastHeight
      if (wentUp && distance > 2) follows.current = false
      else if (distance <= NEAR) follows.current = true
      lastTop = scrollTop
      lastHeight = scrollHeight
      setAway(!follows.current && distance > NEAR)
    }
    // After layout and before paint: reading the height here costs nothing more.
    const observer = new ResizeObserver(() => {
      if (follows.current) view.scrollTop = view.scrollHeight
      lastHeight = view.scrollHeight
    })
    observer.observe(content.current)
    observer.observe(view)
    view.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      view.removeEventListener('scroll', onScroll)
    }
  }, [setAway])
  return { scroller, content, goToEnd }
}
