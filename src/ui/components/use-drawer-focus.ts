// The focus goes into a drawer that opens, and back to its button when it closes.
import { useEffect, useRef } from 'preact/hooks'
import type { Panel } from '../state/layout.ts'

const INSIDE: Record<Panel, string> = { sessions: '.sidebar .sidebar__close', files: '.files .icon-button' }
const BUTTON: Record<Panel, string> = { sessions: '.top [aria-label="Sessions"]', files: '.top [aria-label="Files"]' }

export const useDrawerFocus = (drawer: Panel | undefined): void => {
  const before = useRef(drawer)
  useEffect(() => {
    const closed = before.current
    before.current = drawer
    const selector = drawer !== undefined ? INSIDE[drawer] : closed !== undefined ? BUTTON[closed] : undefined
    if (selector === undefined) return
    const isFree = drawer !== undefined || document.activeElement === document.body // nothing else has taken the focus
    // A drawer is visible from the frame after its transition began. The search in it may have been asked for by its key.
    const frame = requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (isFree && !isSearching()) document.querySelector<HTMLElement>(selector)?.focus()
      }),
    )
    return () => cancelAnimationFrame(frame)
  }, [drawer])
}

const isSearching = (): boolean => document.activeElement?.id === 'session-search'
