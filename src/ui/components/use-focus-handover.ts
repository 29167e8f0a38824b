// Where the focus goes when what holds it leaves the page; left alone it would fall to the page's beginning.
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from './app-context.tsx'

/**
 * When the component is taken away with the focus inside `place`, it goes to the first of `successors` that is still there, and else
 * to where the person writes (on a narrow screen to the conversation: a field would open the keyboard over it). `successors` is asked
 * just before the elements are taken away.
 */
export const useFocusHandover = (
  place: RefObject<HTMLElement | null>,
  successors: () => readonly (Element | string | null | undefined)[] = none,
): void => {
  const { layout } = useApp()
  const latest = useRef(successors)
  latest.current = successors
  useLayoutEffect(
    () => () => {
      if (place.current?.contains(document.activeElement) !== true) return
      const next = latest.current()
      // After the drawing that takes it away; what has taken the focus by then keeps it.
      queueMicrotask(() => {
        if (document.activeElement !== document.body && document.activeElement !== null) return
        const all = [...next, layout.narrow.peek() ? '[role=log]' : '#composer-text', '[role=log]']
        all
          .map(found)
          .find((element) => element?.isConnected === true)
          ?.focus()
      })
    },
    [place, layout],
  )
}

const none = () => []

const found = (one: Element | string | null | undefined): HTMLElement | undefined => {
  const element = typeof one === 'string' ? document.querySelector(one) : one
  return element instanceof HTMLElement ? element : undefined
}
