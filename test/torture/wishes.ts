// What people and programs ask of a session, each with its line in the ledger.
import type { Pending } from '../../src/storage/log/projections/pending.ts'
import type { Entry } from './ledger.ts'
import { fileOf, promptText, type Task } from './model.ts'
import type { Tab } from './tab.ts'
import type { World } from './world.ts'

export const content = (text: string) => [{ type: 'text', text }]

export type Prompting = { readonly id: string; readonly answered: Promise<Entry> }

export const prompt = (world: World, tab: Tab, session: string, task: Task, how: 'send' | 'steer' | 'run' = 'send'): Prompting => {
  const id = world.newId('m')
  const text = promptText(id, task)
  const input = { sessionId: session, messageId: id, content: content(text), ...(how === 'run' && { task: { kind: 'task', maxSteps: 6 } }) }
  return { id, answered: world.wish(tab, { kind: 'prompt', session, id, text }, 'drive', how, input) }
}

/** Says again what nobody knows to be there: the id makes that harmless. */
export const repeatUnknown = async (world: World, tab: Tab, session: string): Promise<void> => {
  const touched = new Set([...world.ledger.of('edit', session), ...world.ledger.of('removal', session)].map(({ wish }) => wish.id))
  const unknown = world.ledger.of('prompt', session).filter(({ outcome, wish }) => outcome === 'unknown' && !touched.has(wish.id))
  await Promise.all(
    unknown.map(async (entry, i) => {
      const { wish } = entry
      if (i % 2 === 1) return // some stay unknown
      const { id, text } = wish
      entry.outcome = 'refused' // in its place stands the new one
      await world.wish(tab, wish, 'drive', 'send', { sessionId: session, messageId: id, content: content(text) })
    }),
  )
}

export const edit = (world: World, tab: Tab, session: string, id: string): Promise<Entry> => {
  const text = `${promptText(id, 'talk')} ${world.newId('edit')}`
  return world.wish(tab, { kind: 'edit', session, id, text }, 'queue', 'edit', {
    sessionId: session,
    messageId: id,
    content: content(text),
  })
}

export const remove = (world: World, tab: Tab, session: string, id: string): Promise<Entry> =>
  world.wish(tab, { kind: 'removal', session, id }, 'queue', 'remove', { sessionId: session, messageId: id })

export const rename = (world: World, tab: Tab, session: string): Promise<Entry> => {
  const title = world.newId('title')
  return world.wish(tab, { kind: 'title', session, title }, 'sessions', 'rename', { sessionId: session, title })
}

/** Settles what waits for the person, in their way: one of the options, a word, a decision. */
export const settle = (world: World, tab: Tab, session: string, pending: Pending): Promise<Entry> => {
  const { callId } = pending
  if (pending.kind === 'approval') {
    const decision = { kind: world.random.chance(0.8) ? 'allow' : 'deny', reach: 'once' }
    return world.wish(tab, { kind: 'decision', session, callId, given: decision }, 'people', 'decide', {
      sessionId: session,
      callId,
      decision,
    })
  }
  const answers = world.random.chance(0.9)
    ? pending.questions.map(({ id, options }) => ({ id, chosen: options?.slice(0, 1).map(({ label }) => label) ?? [] }))
    : null
  return world.wish(tab, { kind: 'answer', session, callId, given: answers }, 'people', 'answer', { sessionId: session, callId, answers })
}

export const cancel = (world: World, tab: Tab, session: string, queue: 'clear' | 'hold'): Promise<unknown> => {
  const input = { sessionId: session, reason: 'enough', queue }
  return queue === 'clear'
    ? world.wish(tab, { kind: 'clearing', session }, 'drive', 'cancel', input)
    : tab.call('drive', 'cancel', input).catch(() => undefined) // nothing is promised of it
}

export const fileText = async (tab: Tab, session: string, id: string): Promise<string | undefined> => {
  const reply = await tab.call('files', 'read', { sessionId: session, path: fileOf(id).path })
  return reply.kind === 'done' ? (reply.value as { readonly text: string }).text : undefined
}
