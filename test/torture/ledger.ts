// What was asked of the application and what it acknowledged, kept outside of the browser: nothing that is killed can forget it.
import type { SessionEvent } from '../../src/storage/log/events.ts'

export type Wish =
  | { readonly kind: 'prompt'; readonly session: string; readonly id: string; readonly text: string }
  | { readonly kind: 'edit'; readonly session: string; readonly id: string; readonly text: string }
  | { readonly kind: 'removal'; readonly session: string; readonly id: string }
  /** Everything that waited may be gone by it. */
  | { readonly kind: 'clearing'; readonly session: string }
  | { readonly kind: 'answer' | 'decision'; readonly session: string; readonly callId: string; readonly given: unknown }
  | { readonly kind: 'title'; readonly session: string; readonly title: string }
  | { readonly kind: 'creation'; readonly title: string }
  | { readonly kind: 'fork'; readonly session: string; readonly length: number }
  | { readonly kind: 'import'; readonly session: string; readonly length: number }
  | { readonly kind: 'deletion'; readonly session: string }

/** `open`: no answer yet. `unknown`: whoever asked died before it had one, so that it may be or not, but never be half. */
export type Outcome = 'open' | 'acknowledged' | 'refused' | 'unknown'

export type Entry<W extends Wish = Wish> = { readonly wish: W; readonly number: number; outcome: Outcome; made?: string }
type OfKind<K extends Wish['kind']> = Extract<Wish, { readonly kind: K }>

export interface Ledger {
  readonly entries: readonly Entry[]
  /** How many facts were acknowledged: wishes, and every event that a page was told is stored. */
  readonly facts: { readonly wishes: number; readonly events: number }
  note(wish: Wish): Entry
  of<K extends Wish['kind']>(kind: K, session?: string): readonly Entry<OfKind<K>>[]
  /** Of all times, also of before a database that is gone. */
  readonly all: readonly Entry[]
  /** Every log that anybody was told of. */
  logs(): readonly (readonly SessionEvent[])[]
  /** The longest log that anybody was told is stored. */
  storedOf(session: string): readonly SessionEvent[]
  /** What a page or a read was told is stored. Gives what contradicts earlier words; nothing may ever be taken back. */
  stored(session: string, events: readonly SessionEvent[]): readonly string[]
  /** Nothing that was promised so far can be kept any more. */
  beginAnew(): void
}

export const createLedger = (): Ledger => {
  let entries: Entry[] = []
  const past: Entry[] = []
  const pastLogs: (readonly SessionEvent[])[] = []
  const logs = new Map<string, { readonly events: SessionEvent[]; readonly texts: string[] }>()
  let events = 0

  return {
    get entries() {
      return entries
    },
    get all() {
      return [...past, ...entries]
    },
    get facts() {
      return { wishes: [...past, ...entries].filter(({ outcome }) => outcome === 'acknowledged').length, events }
    },
    note(wish) {
      const entry: Entry = { wish, number: past.length + entries.length, outcome: 'open' }
      entries.push(entry)
      return entry
    },
    of: <K extends Wish['kind']>(kind: K, session?: string) =>
      entries.filter(
        (entry): entry is Entry<OfKind<K>> =>
          entry.wish.kind === kind && (session === undefined || ('session' in entry.wish && entry.wish.session === session)),
      ),
    logs: () => [...pastLogs, ...[...logs.values()].map((log) => log.events)],
    beginAnew() {
      past.push(...entries)
      pastLogs.push(...[...logs.values()].map((log) => log.events))
      entries = []
      logs.clear()
    },
    storedOf: (session) => logs.get(session)?.events ?? [],
    stored(session, more) {
      const log = logs.get(session) ?? { events: [], texts: [] }
      logs.set(session, log)
      const problems: string[] = []
      for (const event of more) {
        const text = JSON.stringify(event)
        const known = log.texts[event.seq]
        if (known === undefined && event.seq !== log.texts.length) {
          problems.push(`${session}: event ${event.seq} came behind ${log.texts.length - 1}: there is a gap`)
          break
        }
        if (known === undefined) {
          log.texts.push(text)
          log.events.push(event)
          events++
        } else if (known !== text) problems.push(`${session}: event ${event.seq} was stored as ${known} and is ${text} now`)
      }
      return problems
    },
  }
}
