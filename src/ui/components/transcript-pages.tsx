// The transcript in pages: finished pages are kept as they are, and a flush of a streaming reply touches the last one only.
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Transcript, TranscriptItem } from '../../storage/log/projections/transcript-items.ts'
import { PAGE_SIZE } from '../../storage/log/projections/transcript-items.ts'
import { useApp } from './app-context.tsx'
import { ItemView } from './item-view.tsx'
import { kept } from './kept.tsx'
import type { Place } from './use-earlier-pages.ts'
import { useEarlierPages } from './use-earlier-pages.ts'

type Items = readonly TranscriptItem[]
const NOTHING: Transcript = { pages: [], open: [] }

export const TranscriptPages = ({ scroller, notice }: Place) => {
  const { current } = useApp()
  const { pages, open } = current.transcript.value ?? NOTHING
  const stored = current.view.value?.stored ?? 0
  const full = pages.at(-1)?.length === PAGE_SIZE ? pages.length : Math.max(0, pages.length - 1)
  const last = inPages([...(pages[full] ?? []), ...open])
  const drawable = [...pages.slice(0, full), ...last]
  const { first, edge, showEarlier } = useEarlierPages(drawable, { scroller, notice })
  const storedThere = storedMark(pages[full - 1] ?? [], stored)
  // The same nodes as before cost nothing, however many they are.
  const finished = useMemo(
    () => pages.slice(first, full).map((items) => <PageView key={items[0]?.key} items={items} stored={storedThere} settled />),
    [pages, first, full, storedThere],
  )
  return (
    <>
      {first > 0 ? (
        <button type="button" class="earlier" ref={edge} onClick={showEarlier}>
          Show earlier messages
        </button>
      ) : null}
      {finished}
      {last.map((items) => (
        <PageView key={items[0]?.key} items={items} stored={storedMark(items, stored)} settled={false} />
      ))}
    </>
  )
}

const inPages = (items: Items): readonly Items[] => {
  const pages: Items[] = []
  for (let at = 0; at < items.length; at += PAGE_SIZE) pages.push(items.slice(at, at + PAGE_SIZE))
  return pages
}

/** Once everything in it is on disk, a page does not hear of later stores. */
const storedMark = (items: Items, stored: number): number => {
  const last = items.at(-1)
  return last === undefined || stored > last.seq ? Number.POSITIVE_INFINITY : stored
}

type PageProps = { readonly items: Items; readonly stored: number; readonly settled: boolean }

/**
 * Known by its first item, so that an item keeps its nodes when its step is done, and when earlier pages come before it.
 * A finished page that is off the screen need not be laid out, once its height is known: until then it is, or everything below it
 * would jump when it comes into view.
 */
const PageView = kept(({ items, stored, settled }: PageProps) => {
  const page = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!settled) return
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => page.current?.classList.add('page--settled'))
    })
    return () => cancelAnimationFrame(frame)
  }, [settled])
  return (
    <div class="page" ref={page}>
      {items.map((item) => (
        <ItemView key={item.key} item={item} isStored={item.seq < stored} />
      ))}
    </div>
  )
})
