// The surface: the ordered list of events that the model sees, and the messages derived from them.
import type { Message } from './content.ts'
import { deriveMessage } from './derive-message.ts'
import { SideloopError } from './errors.ts'
import type { SurfaceEvent } from './events.ts'
import { markFrozen } from './lossless-json.ts'

type Node = { readonly seq: number; readonly message: Message | undefined }
type Range = { readonly from: number; readonly to: number }

export type Surface = {
  /** Throws `session/invalid` if the event cannot be placed; changes nothing. */
  check(event: SurfaceEvent): void
  place(event: SurfaceEvent): void
  /** Frozen; the same array until the surface changes. */
  messages(): readonly Message[]
  /** Seqs of the nodes, in surface order. */
  seqs(): readonly number[]
}

const invalid = (message: string): never => {
  throw new SideloopError('session/invalid', message)
}

export const createSurface = (): Surface => {
  let nodes: Node[] = []
  let list: Message[] = []
  let derived: readonly Message[] | undefined

  const rangeOf = (event: SurfaceEvent): Range | undefined => {
    const op = event.surfaceOp
    if (op === 'append') return undefined
    const from = nodes.findIndex((node) => node.seq === op.start)
    const to = nodes.findIndex((node) => node.seq === op.end)
    if (from < 0 || to < from) return invalid(`A replacement must name a present range of the surface; ${op.start} to ${op.end} is none`)
    return { from, to }
  }

  const check = (event: SurfaceEvent): void => {
    const range = rangeOf(event)
    if (range === undefined) return
    const cited = new Set(event.sourceEventSeqs)
    for (const node of nodes.slice(range.from, range.to + 1)) {
      if (!cited.has(node.seq)) invalid(`A replacement must name every event that it hides in sourceEventSeqs; ${node.seq} is missing`)
    }
  }

  return {
    check,
    place(event) {
      const node: Node = { seq: event.seq, message: deriveMessage(event) }
      derived = undefined
      const range = rangeOf(event)
      if (range === undefined) {
        nodes.push(node)
        if (node.message !== undefined) list.push(node.message)
        return
      }
      nodes = nodes.toSpliced(range.from, range.to - range.from + 1, node)
      list = nodes.flatMap((each) => (each.message === undefined ? [] : [each.message]))
    },
    messages() {
      derived ??= markFrozen(list.slice())
      return derived
    },
    seqs: () => nodes.map((node) => node.seq),
  }
}
