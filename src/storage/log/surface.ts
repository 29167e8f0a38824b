// The surface: the ordered list of events that the model sees, and the messages derived from them.
import type { Message } from './content.ts'
import { deriveMessage } from './derive-message.ts'
import { SideloopError } from './errors.ts'
import type { SurfaceEvent } from './events.ts'

type Node = { readonly seq: number; readonly message: Message | undefined }

/** Where an event will stand: behind the last node, or in the place of the nodes `from` to `to` (positions, inclusive). */
export type Placement = { readonly node: Node; readonly instead: { readonly from: number; readonly to: number } | undefined }

export type Surface = {
  /** Changes nothing. Errors: `session/invalid` if the event cannot be placed. */
  plan(event: SurfaceEvent): Placement
  /** Cannot fail: the event is in the log when it is called. */
  place(placement: Placement): void
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

  /** A replacement names the seqs of the first and the last node that it stands for, and cites every node that it hides. */
  const rangeOf = ({ surfaceOp: op, sourceEventSeqs }: SurfaceEvent): Placement['instead'] => {
    if (op === 'append') return undefined
    const from = nodes.findIndex((node) => node.seq === op.start)
    const to = nodes.findIndex((node) => node.seq === op.end)
    if (from < 0 || to < from) return invalid(`A replacement must name a present range of the surface; ${op.start} to ${op.end} is none`)
    const cited = new Set(sourceEventSeqs)
    const missing = nodes.slice(from, to + 1).find(({ seq }) => !cited.has(seq))
    if (missing !== undefined)
      return invalid(`A replacement must name every event that it hides in sourceEventSeqs; ${missing.seq} is missing`)
    return { from, to }
  }

  return {
    plan: (event) => ({ instead: rangeOf(event), node: { seq: event.seq, message: deriveMessage(event) } }),
    place({ node, instead }) {
      derived = undefined
      if (instead === undefined) {
        nodes.push(node)
        if (node.message !== undefined) list.push(node.message)
        return
      }
      nodes = nodes.toSpliced(instead.from, instead.to - instead.from + 1, node)
      list = nodes.flatMap(({ message }) => (message === undefined ? [] : [message]))
    },
    messages() {
      derived ??= Object.freeze(list.slice())
      return derived
    },
    seqs: () => nodes.map((node) => node.seq),
  }
}
