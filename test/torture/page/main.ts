// The page of the kill test: the library's client over the application's own worker, driven from the test's process.
import type { CallId } from '../../../src/storage/log/content.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { Pending } from '../../../src/storage/log/projections/pending.ts'
import { type Client, connect } from '../../../src/worker/client/connect.ts'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import type { SessionView } from '../../../src/worker/client/session-view.ts'

/** What a page says by itself. `at`: epoch milliseconds, which all processes of a machine share. */
export type Told =
  | { readonly kind: 'stored'; readonly session: string; readonly events: readonly SessionEvent[] }
  | { readonly kind: 'driver'; readonly session: string; readonly driver: 'here' | 'elsewhere'; readonly at: number }

export type Called =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }

/** Where a session has come to, as soon as it does not move by itself any more. */
export type Calm =
  | { readonly kind: 'idle' | 'paused' | 'held' }
  | { readonly kind: 'person'; readonly pending: readonly Pending[] }
  | { readonly kind: 'closed' | 'late'; readonly detail: string }

export interface TortureApi {
  /** A command of the host by its name; a Blob in the answer comes as Base64, one in the input goes as Base64 under `file`. */
  call(group: string, command: string, input: object): Promise<Called>
  /** Opens the session and tells from then on what is stored of it behind `after`, and who drives it. */
  open(session: string, after: number): Promise<Called>
  calm(session: string, withinMs: number): Promise<Calm>
  /** Waits until such a call of that session waits for the person. */
  asked(session: string, kind: Pending['kind'], withinMs: number): Promise<CallId | undefined>
  /** Ends the agent's worker without a word to it. */
  terminate(): void
}

declare global {
  var torture: TortureApi | undefined
  var tell: (told: Told) => Promise<void>
}

const workers: Worker[] = []
const start = (): Worker => {
  const worker = new Worker(new URL('../../../src/worker/host/entries/browser.worker.ts', import.meta.url), {
    type: 'module',
    name: 'agent',
  })
  workers.push(worker)
  return worker
}

const toBase64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
const fromBase64 = (text: string): Blob => new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))])

const called = async (act: () => Promise<unknown>): Promise<Called> => {
  try {
    const value = await act()
    if (typeof value !== 'object' || value === null || !('file' in value) || !(value.file instanceof Blob)) return { kind: 'done', value }
    return { kind: 'done', value: { ...value, file: toBase64(new Uint8Array(await value.file.arrayBuffer())) } }
  } catch (error) {
    const { code = 'none', message } = error as Error & { code?: string }
    return { kind: 'refused', code, message }
  }
}

const calmOf = ({ live, run, pending, stored, length, closed }: SessionView): Calm | undefined => {
  if (closed !== undefined) return { kind: 'closed', detail: `${closed.code}: ${closed.message}` }
  if (live === undefined || stored !== length) return undefined
  if (pending.length > 0) return { kind: 'person', pending }
  if (live.status !== 'idle' || run.kind === 'running') return undefined // a summary at rest is a turn of an agent that is idle
  if (live.held) return { kind: 'held' }
  if (live.waiting.length > 0) return undefined
  return { kind: run.kind === 'paused' ? 'paused' : 'idle' }
}

const within = <T>(
  session: ClientSession,
  ms: number,
  read: (view: SessionView) => T | undefined,
  late: (view: SessionView) => T,
): Promise<T> =>
  new Promise((resolve) => {
    const settle = (value: T): void => {
      off()
      clearTimeout(timer)
      resolve(value)
    }
    const look = (view: SessionView): void => {
      const value = read(view)
      if (value !== undefined) settle(value)
    }
    const off = session.subscribe(look)
    const timer = setTimeout(() => settle(late(session.view)), ms)
    look(session.view)
  })

const tellDrivers = (client: Client, session: ClientSession): void => {
  let known: 'here' | 'elsewhere' | undefined
  const look = ({ live }: SessionView): void => {
    if (live === undefined || live.driver === known) return
    known = live.driver
    void tell({ kind: 'driver', session: session.id, driver: known, at: Date.now() })
  }
  look(session.view)
  session.subscribe(look)
  client.health.subscribe(({ kind }) => {
    if (kind === 'restarting') known = undefined // by the next worker it is driven anew
  })
}

const tellStored = async (session: ClientSession, after: number): Promise<void> => {
  let waiting: SessionEvent[] = []
  let isTelling = false
  const flush = async (): Promise<void> => {
    if (isTelling) return
    isTelling = true
    while (waiting.length > 0) {
      const events = waiting
      waiting = []
      await tell({ kind: 'stored', session: session.id, events })
    }
    isTelling = false
  }
  for await (const event of session.events({ after })) {
    waiting.push(event)
    void flush()
  }
}

const apiOver = (client: Client): TortureApi => {
  const sessions = new Map<string, ClientSession>()
  const commands = client.host as object as {
    readonly [group: string]: { readonly [command: string]: (input: object) => Promise<unknown> }
  }
  return {
    call: (group, command, input) =>
      called(async () => {
        const given = 'file' in input && typeof input.file === 'string' ? { ...input, file: fromBase64(input.file) } : input
        return commands[group]?.[command]?.(given)
      }),
    open: (id, after) =>
      called(async () => {
        if (sessions.has(id)) return
        const session = await client.sessions.open(id)
        sessions.set(id, session)
        tellDrivers(client, session)
        tellStored(session, after).catch(() => {}) // the session was deleted
      }),
    async calm(id, withinMs) {
      const session = sessions.get(id)
      if (session === undefined) return { kind: 'late', detail: 'not opened here' }
      return within<Calm>(session, withinMs, calmOf, (view) => ({
        kind: 'late',
        detail: JSON.stringify({ health: client.health.state, run: view.run, live: view.live, length: view.length, stored: view.stored }),
      }))
    },
    async asked(id, kind, withinMs) {
      const session = sessions.get(id)
      if (session === undefined) return undefined
      const call = await within<CallId | null>(
        session,
        withinMs,
        ({ pending }) => pending.find((each) => each.kind === kind)?.callId,
        () => null,
      )
      return call ?? undefined
    },
    terminate: () => workers.at(-1)?.terminate(),
  }
}

connect(start, { startTimeoutMs: 60_000, silenceMs: 6_000 }).then(
  (client) => {
    globalThis.torture = apiOver(client)
  },
  (error: unknown) => {
    document.body.textContent = String(error)
  },
)
