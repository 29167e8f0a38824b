// Draws and plays what people may do in several tabs at once, and what may happen to the tabs meanwhile.
import fc from 'fast-check'
import { vi } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import type { LlmAdapter } from '../../../src/worker/hooks/llm.ts'
import { type Gate, gate } from '../../kit/gate.ts'
import { type BrowserOptions, openBrowser, type Tab } from '../../kit/several-tabs.ts'

export type Step =
  | { readonly kind: 'prompt' | 'steer' | 'takeOver' | 'kill' | 'freeze' | 'wake'; readonly tab: number }
  | { readonly kind: 'pass'; readonly times: number }

export type Schedule = { readonly tabs: number; readonly steps: readonly Step[] }

const tab = fc.nat({ max: 7 })
const of = <K extends Step['kind']>(...kinds: readonly K[]) => fc.record({ kind: fc.constantFrom(...kinds), tab })
const pass = fc.record({ kind: fc.constant('pass' as const), times: fc.integer({ min: 1, max: 12 }) })

/** A tab that is frozen while it drives is robbed without knowing. */
export const anything: fc.Arbitrary<Schedule> = fc.record({
  tabs: fc.integer({ min: 2, max: 8 }),
  steps: fc.array(
    fc.oneof(
      { weight: 6, arbitrary: of('prompt', 'steer') },
      { weight: 3, arbitrary: of('takeOver', 'kill') },
      { weight: 2, arbitrary: of('freeze', 'wake') },
      { weight: 4, arbitrary: pass },
    ),
    { minLength: 1, maxLength: 25 },
  ),
})

export const promptsOnly: fc.Arbitrary<Schedule> = fc.record({
  tabs: fc.integer({ min: 2, max: 3 }),
  steps: fc.array(fc.oneof(of('prompt', 'steer'), pass), { minLength: 2, maxLength: 12 }),
})

export type Run = {
  /** As they are stored in the end. */
  readonly events: readonly SessionEvent[]
  readonly sent: readonly string[]
  readonly acknowledged: readonly string[]
  /** Commands of living tabs that were refused, by their code. */
  readonly refused: readonly string[]
  readonly survivors: readonly ClientSession[]
}

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const WORDS = ['a ', 'few ', 'words ', 'more']

/** Says a few words, each after a moment: there is always something to be interrupted. */
const wordy: LlmAdapter = {
  async *stream({ signal }): AsyncGenerator<Chunk> {
    yield { type: 'block-start', index: 0, blockType: 'text' }
    for (const word of WORDS) {
      await moment()
      signal?.throwIfAborted()
      yield { type: 'text-delta', index: 0, text: word }
    }
    yield { type: 'block-end', index: 0, block: { type: 'text', text: WORDS.join('') } }
    yield { type: 'finish', reason: { kind: 'stop' } }
  },
}

type Seat = { readonly tab: Tab; readonly session: ClientSession; readonly death: Gate; wake: () => void }

/** Plays it until all tabs that live are at rest, and gives the run to `look` while they are open. A run that stands still is an error. */
export const play = async (
  schedule: Schedule,
  options: Pick<BrowserOptions, 'alone'>,
  look: (run: Run) => Promise<void>,
): Promise<void> => {
  const browser = openBrowser({ model: wordy, yieldMs: 3, ...options })
  const seats: Seat[] = []
  const sent: string[] = []
  const acknowledged: string[] = []
  const refused: string[] = []
  const pending: Promise<void>[] = []

  /** What becomes of the commands of a dead tab, nobody hears; of a living one each is answered. */
  const answered = ({ death }: Seat, command: Promise<void>, then: () => void = () => {}): void => {
    const settled = command.then(
      () => death.isOpen || then(),
      (error: { readonly code?: string }) => void (death.isOpen || refused.push(error.code ?? String(error))),
    )
    pending.push(Promise.race([settled, death.opened]).then(() => {}))
  }

  const act = (seat: Seat, kind: Exclude<Step['kind'], 'pass'>): void => {
    const { session } = seat
    const messageId = `m${sent.length + 1}`
    switch (kind) {
      case 'prompt':
      case 'steer':
        sent.push(messageId)
        answered(seat, session[kind === 'prompt' ? 'send' : 'steer'](messageId, { messageId }), () => acknowledged.push(messageId))
        break
      case 'takeOver':
        answered(seat, seat.tab.client.tabs.takeOver(session.id))
        break
      case 'freeze':
        seat.wake()
        seat.wake = seat.tab.freeze()
        break
      case 'wake':
        seat.wake()
        break
      case 'kill':
        if (seats.filter(({ death }) => !death.isOpen).length === 1) return
        seat.death.open()
        seat.tab.kill()
    }
  }

  try {
    for (let i = 0; i < schedule.tabs; i++) {
      const opened = await browser.open()
      const id = seats[0]?.session.id
      const session = await (id === undefined ? opened.client.sessions.create() : opened.client.sessions.open(id))
      seats.push({ tab: opened, session, death: gate(), wake: () => {} })
    }
    for (const step of schedule.steps) {
      const seat = step.kind === 'pass' ? undefined : seats[step.tab % seats.length]
      if (step.kind === 'pass') for (let i = 0; i < step.times; i++) await moment()
      else if (seat !== undefined && !seat.death.isOpen) act(seat, step.kind)
    }
    for (const { wake } of seats) wake()
    let unanswered = true
    void Promise.all(pending).then(() => {
      unanswered = false
    })
    await vi.waitUntil(() => !unanswered, { timeout: 5000, interval: 1 })
    const survivors = seats.filter(({ death }) => !death.isOpen).map(({ session }) => session)
    const { id } = survivors[0]!
    let events: readonly SessionEvent[] = []
    const isAtRest = async (): Promise<boolean> => {
      const [row, waiting, stored] = await Promise.all([
        browser.stores.sessions.get(id),
        browser.stores.sessions.waiting(id),
        browser.stores.sessions.read(id, { after: -1 }),
      ])
      events = stored
      const views = options.alone === undefined ? survivors.map(({ view }) => view) : []
      const settled = views.every(({ live, length, stored: on }) => live?.status === 'idle' && length === events.length && on === length)
      return settled && row?.status !== 'running' && waiting.length === 0
    }
    await vi.waitUntil(isAtRest, { timeout: 5000, interval: 5 })
    await look({ events, sent, acknowledged, refused, survivors })
  } finally {
    browser.close()
  }
}
