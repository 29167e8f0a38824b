// What changed, as the worker tells it: for who shows something that other tabs, or work in the background, may change.
import type { NewsFrame } from '../protocol/news.ts'
import type { WorkerLink } from './worker-link.ts'

export interface News {
  /**
   * Called with what changed: `sessions` for the list of sessions, `data-loss` when the browser threw its damaged database away, or the
   * name of a setting that another tab changed, such as `providers` or `chosen-model`. `anything` when a worker died: it may have told
   * nobody. The disposer ends it.
   */
  subscribe(listener: (about: string) => void): () => void
}

export const clientNews = (link: Pick<WorkerLink, 'host' | 'onHealth'>): News => {
  const listeners = new Set<(about: string) => void>()
  let leave: (() => void) | undefined
  const tell = (about: string): void => {
    for (const listener of listeners) listener(about)
  }
  const listen = (): (() => void) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }: MessageEvent<NewsFrame>) => tell(data.about)
    link.host.news.listen({ port: port2 }).catch(() => {}) // a worker that is gone is told by the link's health
    return () => port1.close()
  }
  const begin = (): (() => void) => {
    let stop = listen()
    const forget = link.onHealth(({ kind }) => {
      if (kind !== 'ready') return
      stop()
      stop = listen()
      tell('anything')
    })
    return () => {
      forget()
      stop()
    }
  }
  return {
    subscribe(listener) {
      listeners.add(listener)
      leave ??= begin()
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return
        leave?.()
        leave = undefined
      }
    },
  }
}
