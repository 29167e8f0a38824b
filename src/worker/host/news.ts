// What changed, in a word: told to the other tabs and to the page of this worker, which look at it again.
import type { NewsFrame } from '../protocol/news.ts'
import type { Channels } from './tabs/channels.ts'

export type News = {
  /** Tells the other tabs. */
  tell(about: string): void
  /** Tells the page of this worker. What comes while no page listens is told to the next one, once. */
  show(about: string): void
  /** The page hears on this port from now on, in the place of an earlier one. */
  listen(port: MessagePort): void
  /** Called when another tab has told it. */
  onNews(about: string, listener: () => void): void
}

/** Another tab may be of another build: then it says nothing. */
const aboutOf = (message: unknown): unknown => (message as { readonly about?: unknown } | null)?.about

/** Without channels no news comes from other tabs: then each worker knows what it read when it started. */
export const createNews = (channels: Channels | undefined): News => {
  const listeners = new Set<(about: string) => void>()
  const unheard = new Set<string>()
  let page: MessagePort | undefined
  const show = (about: string): void => {
    if (page === undefined) unheard.add(about)
    else page.postMessage({ about } satisfies NewsFrame)
  }
  const channel = channels?.('news', (message) => {
    const about = aboutOf(message)
    if (typeof about !== 'string') return
    for (const hear of listeners) hear(about)
    show(about)
  })
  return {
    tell: (about) => channel?.post({ about } satisfies NewsFrame),
    show,
    listen(port) {
      page?.close()
      page = port
      for (const about of unheard) show(about)
      unheard.clear()
    },
    onNews: (about, listener) => void listeners.add((told) => told === about && listener()),
  }
}
