// Pruning as a plugin: long results of tools are shortened on the surface, never in the log; very large ones are put into a file (L81).
import type { ContentBlock, SessionId } from '../../../storage/log/content.ts'
import type { EventOf } from '../../../storage/log/events.ts'
import { fold } from '../../../storage/log/projection.ts'
import type { Session } from '../../hooks/agent.ts'
import type { Plugin } from '../../loop/scope.ts'
import { currentModels } from './current-models.ts'
import { headAndTail } from './head-and-tail.ts'
import { type LongResult, type LongResults, longResults, type PrunedMeta, sizeOf } from './long-results.ts'

/** Sizes in characters. */
export type PruningOptions = {
  /** Longer results are shortened once they are old. Default 4,000. */
  readonly longFrom?: number
  /** Old is a result after so many newer steps. Default 8. */
  readonly keepSteps?: number
  /** What is left of an old one. Default 1,500. */
  readonly keepOld?: number
  /** Old ones are shortened together, when that saves as much: each time a vendor's cache begins anew. Default 12,000. */
  readonly minGain?: number
  /** Longer results are shortened before the model sees them first. Default 80,000, or a quarter of the model's window if that is less. */
  readonly largeFrom?: number
  /** Puts the whole of a large result into a file of the session and gives its path. Without it nothing is put anywhere. */
  readonly spill?: (session: Session, name: string, text: string) => Promise<string>
}

type Shortened = { readonly content: readonly ContentBlock[]; readonly file: string | undefined }

export const pruning = (options: PruningOptions = {}): Plugin => {
  const { longFrom = 4_000, keepSteps = 8, keepOld = 1_500, minGain = 12_000, spill } = options
  const watching = longResults(longFrom)

  return (scope) => {
    const states = new Map<SessionId, LongResults>()
    const models = currentModels(scope, undefined)
    const follow = (session: Session): void => void states.set(session.id, fold(watching, session.events))
    for (const session of scope.sessions.list()) follow(session)
    scope.on('session/created', follow)
    scope.on('session/disposed', ({ id }) => void states.delete(id))
    scope.on('session/event', ({ id }, event) => {
      const state = states.get(id)
      if (state !== undefined) states.set(id, watching.apply(state, event))
    })

    scope.on('agent/pre-step', async (agent, _turn, _step, _system, _prefix, signal) => {
      const { session } = agent
      const state = states.get(session.id)
      if (state === undefined || state.results.length === 0) return
      // Four characters a token: a quarter of the window is as many characters as the window has tokens.
      const largeFrom = options.largeFrom ?? Math.min(80_000, models.of(agent).contextWindow ?? 80_000)
      const old = state.results.filter((result) => state.steps - result.step >= keepSteps)
      const gain = old.reduce((sum, { size }) => sum + size - keepOld, 0)
      for (const result of state.results) {
        const event = session.events[result.seq]
        if (event?.type !== 'tool/result') continue
        let shortened: Shortened | undefined
        if (gain >= minGain && old.includes(result)) shortened = shortenOld(event, result, keepOld)
        else if (result.size > largeFrom && result.file === undefined)
          shortened = await shortenLarge(session, event, Math.floor(largeFrom / 2), spill)
        if (signal.aborted) return
        if (shortened !== undefined) replace(session, event, result, shortened)
      }
    })
  }
}

const textOf = (content: readonly ContentBlock[]): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')

const whereIs = (file: string | undefined): string =>
  file === undefined ? 'make the call again if they matter' : `the whole is in ${file}, to be read in parts`

const shortenOld = ({ data }: EventOf<'tool/result'>, { file }: LongResult, keep: number): Shortened => {
  const text = headAndTail(textOf(data.content), keep, (left) => `[… ${left} characters of this older result left out; ${whereIs(file)} …]`)
  const pictures = data.content.filter(({ type }) => type === 'image').length
  const note = pictures === 0 ? '' : `[${pictures === 1 ? 'a picture' : `${pictures} pictures`} of this older result left out]`
  return { content: [{ type: 'text', text: [text, note].filter((part) => part !== '').join('\n') }], file }
}

const shortenLarge = async (
  session: Session,
  event: EventOf<'tool/result'>,
  keep: number,
  spill: PruningOptions['spill'],
): Promise<Shortened | undefined> => {
  const { content } = event.data
  const text = textOf(content)
  if (text.length <= keep) return undefined // it is the pictures that are many: those the model wants to see
  const file = await spilled(session, event, text, spill)
  const marker = (left: number): string =>
    `[… ${left} characters left out, for the result is too long to be shown whole; ${whereIs(file)} …]`
  return { content: [{ type: 'text', text: headAndTail(text, keep, marker) }, ...content.filter(({ type }) => type === 'image')], file }
}

/** A file that cannot be written must not end the turn: the result is shortened all the same, and says nothing of a file. */
const spilled = async (
  session: Session,
  { sourceEventSeqs }: EventOf<'tool/result'>,
  text: string,
  spill: PruningOptions['spill'],
): Promise<string | undefined> => {
  const call = session.events[sourceEventSeqs?.[0] ?? -1]
  if (spill === undefined || call?.type !== 'tool/call') return undefined
  try {
    return await spill(session, `${call.seq}-${call.data.name.replace(/[^\w-]/g, '_').slice(0, 60)}.txt`, text)
  } catch {
    return undefined // what the store refused is shown by the store's own banner
  }
}

const replace = (session: Session, event: EventOf<'tool/result'>, { size }: LongResult, { content, file }: Shortened): void => {
  const { turn, step, callId, isError, error } = event.data
  const call = session.events[event.sourceEventSeqs?.[0] ?? -1]
  if (call?.type !== 'tool/call' || sizeOf(content) >= size) return
  const meta: PrunedMeta = { pruned: { size, ...(file === undefined ? {} : { file }) } }
  session.append(
    'tool/result',
    { turn, step, callId, content, isError, ...(error === undefined ? {} : { error }), meta },
    { surfaceOp: { op: 'replace', start: event.seq, end: event.seq }, sourceEventSeqs: [call.seq, event.seq] },
  )
}
