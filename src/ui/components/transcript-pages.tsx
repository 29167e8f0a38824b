// The transcript in pages: finished pages are kept as they are, and a flush of a streaming reply touches the last one only.
import { Fragment } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Transcript, TranscriptItem } from '../../storage/log/projections/transcript-items.ts'
import { PAGE_SIZE } from '../../storage/log/projections/transcript-items.ts'
import { useApp } from './app-context.tsx'
import { ForkSeam } from './fork-seam.tsx'
import { ItemView } from './item-view.tsx'
import { kept } from './kept.tsx'
import { LastEdge, TurnEdge } from './turn-edge.tsx'
import type { Place } from './use-earlier-pages.ts'
import { useEarlierPages } from './use-earlier-pages.ts'

type Items = readonly TranscriptItem[]
const NOTHING: Transcript = { pages: [], open: [] }

export const TranscriptPages = ({ scroller, notice }: Place) => {
  const { current, list } = useApp()
  const { pages, open } = current.transcript.value ?? NOTHING
  const stored = current.view.value?.stored ?? 0
  const full = pages.at(-1)?.length === PAGE_SIZE ? pages.length : Math.max(0, pages.length - 1)
  const last = inPages([...(pages[full] ?? []), ...open])
  const drawable = [...pages.slice(0, full), ...last]
  const { first, edge, showEarlier } = useEarlierPages(drawable, { scroller, notice })
  const storedThere = storedMark(pages[full - 1] ?? [], stored)
  // The newest part alone does not tell what is before it.
  const seam = current.view.value?.earlier === undefined ? list.row.value?.forkOf?.length : undefined
  const after = edgeBetween(pages[full - 1]?.at(-1), last[0]?.[0])
  // The same nodes as before cost nothing, however many they are.
  const finished = useMemo(
    () =>
      pages
        .slice(first, full)
        .map((items, at) => (
          <PageView
            key={items[0]?.key}
            items={items}
            stored={storedThere}
            edge={first + at === full - 1 ? after : edgeBetween(items.at(-1), pages[first + at + 1]?.[0])}
            seam={seamIn(items, pages[first + at - 1]?.at(-1), seam)}
            settled
          />
        )),
    [pages, first, full, storedThere, after, seam],
  )
  const before = (at: number) => (at === 0 ? pages[full - 1] : last[at - 1])?.at(-1)
  const growing = last.map((items, at) => (
    <PageView
      key={items[0]?.key}
      items={items}
      stored={storedMark(items, stored)}
      edge={edgeBetween(items.at(-1), last[at + 1]?.[0])}
      seam={seamIn(items, before(at), seam)}
      settled={false}
    />
  ))
  const end = last.at(-1)?.at(-1) ?? pages[full - 1]?.at(-1)
  return (
    <>
      {current.view.value?.earlier === 'failed' ? <p class="opening">Earlier messages could not be read. Open the session again.</p> : null}
      {first > 0 ? (
        <button type="button" class="earlier" ref={edge} onClick={showEarlier}>
          Show earlier messages
        </button>
      ) : null}
      {/* One list, so that a page that is full keeps its nodes. */}
      {[...finished, ...growing]}
      {seam !== undefined && (end === undefined || end.seq < seam) ? <ForkSeam /> : null}
      <LastEdge />
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

/** Before what begins a turn or a task run, after what was before it. */
const edgeBetween = (item: TranscriptItem | undefined, next: TranscriptItem | undefined): number | undefined => {
  const isEnd = item !== undefined && item.kind !== 'user' && item.kind !== 'task-started'
  return isEnd && (next?.kind === 'user' || next?.kind === 'task-started') ? next.seq : undefined
}

/** The seam, when the first item behind it is one of these. */
const seamIn = (items: Items, before: TranscriptItem | undefined, seam: number | undefined): number | undefined =>
  seam !== undefined && (before === undefined || before.seq < seam) && (items.at(-1)?.seq ?? -1) >= seam ? seam : undefined

type PageProps = {
  readonly items: Items
  readonly stored: number
  /** The seq of the turn that begins right behind this page. */
  readonly edge: number | undefined
  /** The seq from which on a fork is its own, when that is in this page. */
  readonly seam: number | undefined
  readonly settled: boolean
}

/**
 * Known by its first item, so that an item keeps its nodes when its step is done, and when earlier pages come before it.
 * A finished page that is off the screen need not be laid out, once its height is known: until then it is, or everything below it
 * would jump when it comes into view.
 */
const PageView = kept(({ items, stored, edge, seam, settled }: PageProps) => {
  const page = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!settled) return
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => page.current?.classList.add('page--settled'))
    })
    return () => cancelAnimationFrame(frame)
  }, [settled])
  const own = seam === undefined ? undefined : items.find(({ seq }) => seq >= seam)
  return (
    <div class="page" ref={page}>
      {items.map((item, at) => {
        const next = items[at + 1]
        const edgeHere = next === undefined ? edge : edgeBetween(item, next)
        return (
          <Fragment key={item.key}>
            {item === own ? <ForkSeam /> : null}
            <ItemView item={item} isStored={item.seq < stored} />
            {edgeHere === undefined ? null : <TurnEdge beforeSeq={edgeHere} />}
          </Fragment>
        )
      })}
    </div>
  )
})
