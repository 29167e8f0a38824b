// A button with a menu: arrow keys, first letters, Escape, and the focus back where it was.
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { MoreIcon } from './icons.tsx'
import { isComposing, isEscape } from './keys.ts'

/** `why`: it cannot be done now, for that reason. `danger`: it takes something away. */
export type MenuEntry = {
  readonly label: string
  readonly Icon: ComponentType
  readonly run: () => void
  readonly why?: string | undefined
  readonly danger?: true
}

type Props = {
  readonly label: string
  /** Asked when the menu is opened. */
  readonly entries: () => readonly MenuEntry[]
  readonly children?: ComponentChildren
}

type Opened = 'first' | 'last'

export const MenuButton = ({ label, entries, children = <MoreIcon /> }: Props) => {
  const [opened, setOpened] = useState<Opened | undefined>(undefined)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = () => setOpened(undefined)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    setOpened(event.key === 'ArrowDown' ? 'first' : 'last')
  }
  return (
    <>
      <button
        type="button"
        class="icon-button"
        ref={button}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={opened !== undefined}
        aria-controls={opened === undefined ? undefined : id}
        onClick={() => setOpened(opened === undefined ? 'first' : undefined)}
        onKeyDown={onKeyDown}
      >
        {children}
      </button>
      {opened === undefined ? null : <Menu id={id} label={label} entries={entries()} at={opened} button={button} onClose={close} />}
    </>
  )
}

type MenuProps = {
  readonly id: string
  readonly label: string
  readonly entries: readonly MenuEntry[]
  readonly at: Opened
  readonly button: { readonly current: HTMLButtonElement | null }
  readonly onClose: () => void
}

const Menu = ({ id, label, entries, at, button, onClose }: MenuProps) => {
  const menu = useRef<HTMLDivElement>(null)
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  const goTo = (index: number) =>
    items()
      .at(index % entries.length)
      ?.focus()
  useLayoutEffect(() => {
    if (menu.current === null || button.current === null) return
    menu.current.showPopover?.() // above everything, whatever cuts off what is around it
    placeBeside(menu.current, button.current)
    goTo(at === 'first' ? 0 : -1)
  }, [])
  useCloseFromOutside(menu, button, onClose)

  const leave = () => {
    button.current?.focus()
    onClose()
  }
  const choose = ({ why, run }: MenuEntry) => {
    if (why !== undefined) return
    leave()
    run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    const all = items()
    const now = all.indexOf(document.activeElement as HTMLElement)
    const next = nextFor(event, now, all)
    if (next !== undefined) goTo(next)
    else if (isEscape(event)) leave()
    else if (event.key === 'Tab') onClose()
    else return
    if (event.key !== 'Tab') event.preventDefault() // Escape that closes the menu stops no turn
  }
  return (
    <div id={id} class="menu" role="menu" popover="manual" aria-label={label} ref={menu} onKeyDown={onKeyDown}>
      {entries.map((entry) => (
        <button
          key={entry.label}
          type="button"
          class="menu__item"
          role="menuitem"
          tabIndex={-1}
          aria-disabled={entry.why !== undefined}
          data-danger={entry.danger}
          onClick={() => choose(entry)}
        >
          <entry.Icon />
          <span class="menu__words">
            {entry.label}
            {entry.why === undefined ? null : <span class="menu__why">{entry.why}</span>}
          </span>
        </button>
      ))}
    </div>
  )
}

const nextFor = (event: KeyboardEvent, now: number, all: readonly HTMLElement[]): number | undefined => {
  switch (event.key) {
    case 'ArrowDown':
      return now + 1
    case 'ArrowUp':
      return now - 1
    case 'Home':
      return 0
    case 'End':
      return -1
  }
  if (event.key.length !== 1 || event.key === ' ' || event.ctrlKey || event.metaKey || event.altKey) return undefined
  const letter = event.key.toLowerCase()
  const after = [...all.slice(now + 1), ...all.slice(0, now + 1)]
  const found = after.find((item) => item.textContent?.toLowerCase().startsWith(letter))
  return found === undefined ? undefined : all.indexOf(found)
}

const GAP = 4
const EDGE = 8

/** Below the button and in line with its end, or above it where there is no room. */
const placeBeside = (menu: HTMLElement, button: HTMLElement): void => {
  const from = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = menu
  const { clientWidth, clientHeight } = document.documentElement
  const below = from.bottom + GAP
  const top = below + height <= clientHeight - EDGE ? below : Math.max(EDGE, from.top - GAP - height)
  menu.style.left = `${Math.min(Math.max(EDGE, from.right - width), clientWidth - EDGE - width)}px`
  menu.style.top = `${top}px`
}

const useCloseFromOutside = (
  menu: { readonly current: HTMLElement | null },
  button: { readonly current: HTMLElement | null },
  close: () => void,
): void => {
  useEffect(() => {
    const onPress = ({ target }: Event) => {
      if (!(target instanceof Node) || menu.current?.contains(target) || button.current?.contains(target)) return
      close()
    }
    const onScroll = ({ target }: Event) => {
      if (target instanceof Node && target.contains(button.current)) close() // it would stay where the button was
    }
    document.addEventListener('pointerdown', onPress, true)
    document.addEventListener('scroll', onScroll, true)
    window.addEventListener('resize', close)
    window.addEventListener('blur', close)
    return () => {
      document.removeEventListener('pointerdown', onPress, true)
      document.removeEventListener('scroll', onScroll, true)
      window.removeEventListener('resize', close)
      window.removeEventListener('blur', close)
    }
  })
}
