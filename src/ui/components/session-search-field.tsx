// Finds a session as one types: arrows go into the list, Enter opens the first, Escape shows all again.
import { useEffect, useRef } from 'preact/hooks'
import { useApp } from './app-context.tsx'
import { SearchIcon } from './icons.tsx'
import { isEscape, isMac, isPlainEnter } from './keys.ts'

export const SessionSearchField = () => {
  const { search, current, layout } = useApp()
  const field = useRef<HTMLInputElement>(null)
  const text = search.text.value
  const asked = search.asked.value
  const answered = useRef(0)
  useEffect(() => {
    if (asked === answered.current) return
    answered.current = asked
    // In a drawer that opens for it, it is visible from the frame after the next one on.
    const frame = requestAnimationFrame(() => requestAnimationFrame(() => field.current?.select()))
    return () => cancelAnimationFrame(frame)
  }, [asked])

  const leave = () => {
    search.clear()
    if (layout.narrow.peek()) layout.closeDrawer()
    else document.getElementById('composer-text')?.focus()
  }
  const openFirst = () => {
    const found = search.found.peek()
    const first = found.kind === 'loaded' ? found.sessions[0] : undefined
    if (first === undefined || search.text.peek().trim() === '') return
    search.clear()
    layout.closeDrawer()
    if (first.id !== current.id.peek()) void current.open(first.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      document.querySelector<HTMLElement>('.sessions .session__open')?.focus()
    } else if (isPlainEnter(event)) {
      event.preventDefault()
      openFirst()
    } else if (isEscape(event)) {
      event.preventDefault() // it stops no turn
      if (text === '') leave()
      else search.write('')
    }
  }
  return (
    <search class="search">
      <SearchIcon />
      <input
        id="session-search"
        class="field"
        type="search"
        ref={field}
        value={text}
        aria-label="Search the sessions"
        placeholder={`Search (${isMac ? 'Cmd' : 'Ctrl'}+K)`}
        autoComplete="off"
        enterkeyhint="go"
        onInput={(event) => search.write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <FoundWords />
    </search>
  )
}

/** For those who do not see the list get shorter. */
const FoundWords = () => {
  const { search } = useApp()
  const found = search.found.value
  const count = found.kind === 'loaded' ? found.sessions.length : 0
  return (
    <span class="hidden" role="status">
      {search.text.value.trim() === '' ? '' : count === 1 ? 'One session found' : `${count} sessions found`}
    </span>
  )
}
