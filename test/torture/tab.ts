// A tab of the kill test: commands that may get no answer, what it tells by itself, and the ways it can die.
import type { Page } from 'playwright'
import type { Called, Calm, Told, TortureApi } from './page/main.ts'

export type Reply = Called | { readonly kind: 'died' }

export interface Tab {
  readonly name: string
  readonly alive: boolean
  /** Its process was killed, or nothing is known of it any more. */
  readonly died: Promise<void>
  /** Which sessions it drives, as it said last. */
  drives(session: string): boolean
  call(group: string, command: string, input: object): Promise<Reply>
  open(session: string, after: number): Promise<Reply>
  calm(session: string, withinMs: number): Promise<Calm>
  asked(session: string, kind: 'question' | 'approval', withinMs: number): Promise<string | undefined>
  /** Its renderer crashes. */
  crash(): Promise<void>
  /** Its worker ends: from outside, or by itself. The page lives on. */
  endWorker(how: 'terminate' | 'close'): Promise<void>
  readonly workersEnded: number
  markDead(): void
}

export type TabEvents = { readonly onTold: (tab: Tab, told: Told) => void; readonly onDeath: (tab: Tab) => void }

const START_MS = 90_000
/** Above all that a command may take on a machine with much else to do. */
const ANSWER_MS = 120_000

export const openTab = async (
  page: Page,
  name: string,
  address: string,
  { onTold, onDeath }: TabEvents,
): Promise<{ tab: Tab; ready: Promise<boolean> }> => {
  let alive = true
  let workersEnded = 0
  let settleDeath = (): void => {}
  const died = new Promise<void>((resolve) => {
    settleDeath = resolve
  })
  const driven = new Set<string>()
  const markDead = (): void => {
    if (!alive) return
    alive = false
    settleDeath()
    onDeath(tab)
    page.close().catch(() => {}) // what is left of it: an empty tab that says that it crashed
  }

  const orDeath = async <T>(work: Promise<T>, dead: T): Promise<T> => {
    work.catch(() => {}) // the race may be over before
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${name} gave no answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS)
    })
    try {
      return await Promise.race([work, died.then(() => dead), late])
    } catch (error) {
      // A renderer that is killed while its page loads tells the navigation first, and the crash a moment later.
      if (!alive || page.isClosed() || /crashed|closed|ERR_ABORTED|detached/i.test(String(error))) return dead
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
  type Method = { readonly [M in keyof TortureApi]: TortureApi[M] }
  let ready: Promise<boolean> = Promise.resolve(false)
  const ask = async <M extends keyof Method>(method: M, input: Parameters<Method[M]>): Promise<Awaited<ReturnType<Method[M]>>> => {
    await ready
    return page.evaluate(
      ([name, given]) => {
        const api = globalThis.torture
        if (api === undefined) throw new Error('The page is not ready.')
        return (api[name] as (...input: unknown[]) => never)(...given)
      },
      [method, input] as const,
    )
  }

  const tab: Tab = {
    name,
    died,
    get alive() {
      return alive
    },
    get workersEnded() {
      return workersEnded
    },
    drives: (session) => alive && driven.has(session),
    call: (...input) => orDeath<Reply>(ask('call', input), { kind: 'died' }),
    open: (...input) => orDeath<Reply>(ask('open', input), { kind: 'died' }),
    calm: (...input) => orDeath<Calm>(ask('calm', input), { kind: 'closed', detail: 'died' }),
    asked: (...input) => orDeath<string | undefined>(ask('asked', input), undefined),
    async crash() {
      const tools = await page.context().newCDPSession(page)
      tools.send('Page.crash').catch(() => {}) // there is nobody left to answer
      await died
    },
    async endWorker(how) {
      workersEnded++
      driven.clear()
      if (how === 'terminate') return ask('terminate', [])
      const worker = page.workers().find((each) => each.url().includes('agent.worker'))
      await worker?.evaluate(() => globalThis.close()).catch(() => {}) // it ends before it answers
    },
    markDead,
  }
  page.on('crash', markDead)
  page.on('close', markDead)
  await page.exposeFunction('tell', (told: Told) => {
    if (told.kind === 'driver') driven[told.driver === 'here' ? 'add' : 'delete'](told.session)
    onTold(tab, told)
  })
  const start = async (): Promise<boolean> => {
    await page.goto(address, { timeout: START_MS })
    await page.waitForFunction(() => globalThis.torture !== undefined, undefined, { timeout: START_MS })
    return true
  }
  ready = orDeath(start(), false)
  ready.catch(() => {}) // told to whoever waits for it
  return { tab, ready }
}
