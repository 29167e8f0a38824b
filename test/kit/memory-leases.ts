// Web Locks over Maps, for several hosts in one thread: what a tab held is free when the test says that the tab died.
import { type Leases, webLockLeases } from '../../src/worker/host/tabs/lease.ts'

type Holder = { readonly tab: number; readonly steal: (reason: unknown) => void; readonly free: () => void }
type Waiting = { readonly tab: number; readonly grant: () => void }
type Lock = { holder: Holder | undefined; readonly queue: Waiting[] }

const aborted = (message: string): DOMException => new DOMException(message, 'AbortError')

export type MemoryTab = {
  readonly locks: LockManager
  /** As when a browser ends a tab: what it held is free, what it waited for is withdrawn. Nothing settles for it any more. */
  kill(): void
  /** It learns of no theft and of no grant until the disposer is called. */
  freeze(): () => void
}

/** One browser: each `tab` has its own way to the same locks. */
export const memoryLocks = (): (() => MemoryTab) => {
  const locks = new Map<string, Lock>()
  const of = (name: string): Lock => {
    const lock = locks.get(name) ?? { holder: undefined, queue: [] }
    locks.set(name, lock)
    return lock
  }
  const next = (lock: Lock): void => {
    if (lock.holder === undefined) lock.queue.shift()?.grant()
  }
  let tabs = 0

  return () => {
    const tab = ++tabs
    let dead = false
    let kept: (() => void)[] | undefined
    const tell = (news: () => void): void => {
      if (kept === undefined) queueMicrotask(() => !dead && news())
      else kept.push(news)
    }
    const request = (name: string, options: LockOptions, work: (lock: Lock) => unknown): Promise<unknown> =>
      new Promise((resolve, reject) => {
        if (dead) return
        const lock = of(name)
        const grant = (): void => {
          const holder: Holder = {
            tab,
            steal: (reason) => tell(() => reject(reason)),
            free() {
              if (lock.holder !== holder) return
              lock.holder = undefined
              next(lock)
            },
          }
          lock.holder = holder
          tell(() => void Promise.resolve(work(lock)).then(resolve, reject).finally(holder.free))
        }
        if (options.steal) {
          const robbed = lock.holder
          lock.holder = undefined
          grant()
          robbed?.steal(aborted('The lock was stolen.'))
          return
        }
        const waiting: Waiting = { tab, grant }
        lock.queue.push(waiting)
        options.signal?.addEventListener('abort', () => {
          const at = lock.queue.indexOf(waiting)
          if (at < 0) return
          lock.queue.splice(at, 1)
          reject(aborted('The request was aborted.'))
        })
        next(lock)
      })

    const manager = {
      request: (name: string, ...rest: readonly unknown[]) => {
        const [options, work] = rest.length === 1 ? [{}, rest[0]] : rest
        return request(name, options as LockOptions, work as (lock: Lock) => unknown)
      },
      query: async () => ({ held: [...locks].flatMap(([name, { holder }]) => (holder === undefined ? [] : [{ name }])), pending: [] }),
    }
    return {
      locks: manager as LockManager,
      kill() {
        dead = true
        for (const lock of locks.values()) {
          const staying = lock.queue.filter((waiting) => waiting.tab !== tab)
          lock.queue.splice(0, lock.queue.length, ...staying)
          if (lock.holder?.tab === tab) lock.holder.free()
        }
      },
      freeze() {
        kept = []
        return () => {
          const news = kept ?? []
          kept = undefined
          for (const each of news) tell(each)
        }
      },
    }
  }
}

/** The leases of one tab after another, as when a worker is started anew in the place of one that died. */
export const memoryLeases = (): Leases & { freeAll(): void } => {
  const open = memoryLocks()
  let tab = open()
  let leases = webLockLeases('test', tab.locks)
  return {
    acquire: (...request) => leases.acquire(...request),
    held: () => leases.held(),
    live: (name) => leases.live(name),
    ended: (name) => leases.ended(name),
    freeAll() {
      tab.kill()
      tab = open()
      leases = webLockLeases('test', tab.locks)
    },
  }
}
