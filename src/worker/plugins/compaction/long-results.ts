// Which results of tools are long and still seen by the model, as a fold over the log.
import type { ContentBlock, Json } from '../../../storage/log/content.ts'
import { type EventOf, isSurfaceEvent, type SessionEvent } from '../../../storage/log/events.ts'
import type { Projection } from '../../../storage/log/projection.ts'

export type LongResult = {
  readonly seq: number
  /** Characters, a picture counted as so many. */
  readonly size: number
  /** How many steps had begun when it came. */
  readonly step: number
  /** Where the whole of it is, if it was put into a file. */
  readonly file: string | undefined
}
export type LongResults = { readonly steps: number; readonly results: readonly LongResult[] }

/** About what a picture costs, told in the characters that cost the same. */
const PICTURE = 4_000

export const sizeOf = (content: readonly ContentBlock[]): number =>
  content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : block.type === 'image' ? PICTURE : 0), 0)

/** The `meta` of a result that was shortened. */
export type PrunedMeta = { readonly pruned: { readonly size: number; readonly file?: string } }

const fileIn = (meta: Json | undefined): string | undefined => {
  const { pruned } = ((typeof meta === 'object' ? meta : null) as Partial<PrunedMeta>) ?? {}
  return typeof pruned?.file === 'string' ? pruned.file : undefined
}

export const longResults = (longFrom: number): Projection<LongResults> => ({
  initial: { steps: 0, results: [] },
  apply(state, event) {
    if (event.type === 'step/start') return { ...state, steps: state.steps + 1 }
    if (!isSurfaceEvent(event)) return state
    const left = withoutHidden(state, event)
    return event.type === 'tool/result' ? withResult(left, event, longFrom) : left
  },
})

/** A replacing event names all that it hides. */
const withoutHidden = (state: LongResults, event: SessionEvent): LongResults => {
  if (!isSurfaceEvent(event) || event.surfaceOp === 'append' || state.results.length === 0) return state
  const hidden = new Set(event.sourceEventSeqs)
  const results = state.results.filter(({ seq }) => !hidden.has(seq))
  return results.length === state.results.length ? state : { ...state, results }
}

const withResult = (state: LongResults, { seq, data }: EventOf<'tool/result'>, longFrom: number): LongResults => {
  const size = sizeOf(data.content)
  if (size <= longFrom) return state
  return { ...state, results: [...state.results, { seq, size, step: state.steps, file: fileIn(data.meta) }] }
}
