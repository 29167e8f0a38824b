// Is every acknowledged fact of a session in its log, and nothing twice? Pure, over the ledger and the stored events.
import type { SessionEvent } from '../../src/storage/log/events.ts'
import type { Entry, Ledger } from './ledger.ts'

export type Findings = {
  /** Acknowledged, and not there. */
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  /** There, but not as it was acknowledged. */
  readonly changed: readonly string[]
}

type Said = Extract<SessionEvent, { readonly type: 'user/message' | 'steering/message' | 'prompt/blocked' }>
const isSaid = (event: SessionEvent): event is Said =>
  event.type === 'user/message' || event.type === 'steering/message' || event.type === 'prompt/blocked'

const wordsOf = ({ data }: Said): string => data.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')

const isKept = ({ outcome }: Entry): boolean => outcome === 'acknowledged'
const mayBe = ({ outcome }: Entry): boolean => outcome !== 'open'

/** The words that a message may have: an edit without an answer may have been made or not. */
const possibleWords = (text: string, edits: readonly { readonly text: string; readonly isCertain: boolean }[]): readonly string[] => {
  const last = edits.findLastIndex(({ isCertain }) => isCertain)
  return [...(last < 0 ? [text] : []), ...edits.slice(Math.max(last, 0)).map((edit) => edit.text)]
}

/** Of a session that is at rest with nothing in its queue. */
export const findingsIn = (ledger: Ledger, session: string, events: readonly SessionEvent[]): Findings => {
  const lost: string[] = []
  const doubled: string[] = []
  const changed: string[] = []
  const said = new Map<string, Said[]>()
  for (const event of events.filter(isSaid)) said.set(event.data.id, [...(said.get(event.data.id) ?? []), event])
  const edits = ledger.of('edit', session)
  const removals = ledger.of('removal', session)
  const clearings = ledger.of('clearing', session)

  for (const [id, all] of said) {
    const places = all.map(({ type, seq }) => `${type} at ${seq}`).join(', ')
    if (all.length > 1) doubled.push(`message ${id}: ${places}`)
    if (removals.some((entry) => entry.wish.id === id && isKept(entry))) changed.push(`message ${id} was removed and is ${places}`)
  }
  for (const entry of ledger.of('prompt', session)) {
    const { id, text } = entry.wish
    const [event] = said.get(id) ?? []
    if (event === undefined) {
      const mayBeGone = removals.some(({ wish }) => wish.id === id) || clearings.some(({ number }) => number > entry.number)
      if (isKept(entry) && !mayBeGone) lost.push(`message ${id} was acknowledged and is nowhere`)
      continue
    }
    const made = edits.filter((edit) => edit.wish.id === id && mayBe(edit))
    const words = possibleWords(
      text,
      made.map((edit) => ({ text: edit.wish.text, isCertain: isKept(edit) })),
    )
    if (!words.includes(wordsOf(event))) changed.push(`message ${id} says ${wordsOf(event).slice(0, 80)}`)
  }
  for (const [kind, type, field] of [
    ['answer', 'question/answered', 'answers'],
    ['decision', 'approval/decided', 'decision'],
  ] as const) {
    for (const entry of ledger.of(kind, session).filter(isKept)) {
      const { callId, given } = entry.wish
      const there = events.filter((event) => event.type === type && event.data.callId === callId)
      if (there.length === 0) lost.push(`the ${kind} to ${callId} was acknowledged and is nowhere`)
      if (there.length > 1) doubled.push(`the ${kind} to ${callId} is there ${there.length} times`)
      const [first] = there
      if (first !== undefined && JSON.stringify((first.data as { readonly [name: string]: unknown })[field]) !== JSON.stringify(given))
        changed.push(`the ${kind} to ${callId} is another one`)
    }
  }
  // A command that is given to a second driver, behind another's rename, names the session once more: that is no harm.
  for (const { wish } of ledger.of('title', session).filter(isKept)) {
    const there = events.filter((event) => event.type === 'session/title' && event.data.by === 'user' && event.data.title === wish.title)
    if (there.length === 0) lost.push(`the title "${wish.title}" was acknowledged and is nowhere`)
  }
  lost.push(...closedUnasked(events))
  return { lost, doubled, changed }
}

/** What waited for a person waits on after a kill: repair may not close it. */
const closedUnasked = (events: readonly SessionEvent[]): readonly string[] => {
  const open = new Set<string>()
  const closed: string[] = []
  for (const { type, data } of events) {
    if (type === 'question/asked' || type === 'approval/asked') open.add(data.callId)
    if (type === 'question/answered' || type === 'approval/decided') open.delete(data.callId)
    if (type === 'tool/result' && open.has(data.callId) && data.error?.code.startsWith('TOOL_')) closed.push(data.callId)
  }
  return closed.map((callId) => `the call ${callId} waited for the person and was closed without them`)
}

/** The files that a log says were written, in the order of its results. */
export const filesIn = (events: readonly SessionEvent[]): readonly string[] => {
  const calls = new Map(events.flatMap((event) => (event.type === 'tool/call' ? [[event.data.callId, event.data] as const] : [])))
  return events.flatMap((event) => {
    if (event.type !== 'tool/result' || event.data.isError) return []
    const call = calls.get(event.data.callId)
    if (call?.name !== 'write_file' && call?.name !== 'bash') return []
    return [...call.arguments.matchAll(/\/(\w+)\.txt/g)].slice(0, 1).map((match) => match[1] ?? '')
  })
}
