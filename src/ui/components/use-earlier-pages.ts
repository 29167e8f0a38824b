// Mounts the newest pages of a long transcript, and earlier ones as the reader comes near, without moving what is being read.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

const AT_FIRST = 2
const AT_ONCE = 3

/** `notice` looks where the reader is before anything moves. */
export type Place = {
  readonly scroller: { readonly current: HTMLDivElement | null }
  readonly notice: { readonly current: () => void }
}

type Pages = readonly (readonly { readonly key: string }[])[]

/** `first`: the earliest page to draw. `edge` goes on the element at the top that asks for more when it comes near. */
export const useEarlierPages = (pages: Pages, { scroller, notice }: Place) => {
  /** The first item of the earliest page that is drawn: what comes at the end pushes nothing out, and what comes before it moves nothing. */
  const shown = useRef<string | undefined>(undefined)
  const [, redraw] = useState(0)
  const known = pages.findIndex(([item]) => item !== undefined && item.key === shown.current)
  const first = known >= 0 ? known : Math.max(0, pages.length - AT_FIRST)
  shown.current = pages[first]?.[0]?.key
  const held = useRef<{ readonly node: Element; readonly top: number } | undefined>(undefined)
  const edge = useRef<HTMLButtonElement>(null)

  const showEarlier = () => {
    notice.current()
    const node = edge.current?.nextElementSibling
    if (node != null) held.current = { node, top: node.getBoundingClientRect().top }
    shown.current = pages[Math.max(0, first - AT_ONCE)]?.[0]?.key
    redraw((count) => count + 1)
  }
  useLayoutEffect(() => {
    const { current: place } = held
    held.current = undefined
    if (place === undefined || scroller.current === null) return
    scroller.current.scrollTop += place.node.getBoundingClientRect().top - place.top
  }, [first, scroller])
  useLayoutEffect(() => {
    if (edge.current === null) return
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && showEarlier(), {
      root: scroller.current,
      rootMargin: '800px 0px 0px 0px',
    })
    observer.observe(edge.current)
    return () => observer.disconnect()
  }, [first, scroller])
  return { first, edge, showEarlier }
}
