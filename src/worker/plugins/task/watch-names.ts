// Watches the names of the calls in a running stream: cleans them (T16), and cuts the stream as soon as one can be no tool's name (T13).
import type { CallId } from '../../../storage/log/content.ts'
import type { Chunk } from '../../../storage/log/model-call.ts'

export type NameCut = {
  /** As the model wrote it, cleaned. */
  readonly name: string
  /** Calls that had come to their end before the cut: they are whole. */
  readonly whole: ReadonlySet<CallId>
}

const TOKEN = '<|'

/** What a name with harmony tokens was to be: before the first token, after the last one, or what is left without them. */
const readings = (name: string): readonly string[] => {
  const bare = name.replace(/<\|[^|>]*(\|>|$)/g, '')
  const parts = [name.slice(0, name.indexOf(TOKEN)), name.slice(name.lastIndexOf('|>') + 2), bare]
  return parts.map((part) => part.trim().replace(/^functions?\./, '')).filter((part) => part !== '' && !part.includes(TOKEN))
}

/** A name without tokens as it is; else the declared tool that it means, or nothing. */
export const cleanName = (name: string, declared: ReadonlySet<string>): string =>
  name.includes(TOKEN) ? (readings(name).find((reading) => declared.has(reading)) ?? '') : name

/** Can it still become the name of a declared tool? */
const mayBecome = (name: string, declared: ReadonlySet<string>): boolean => {
  const beginsTool = (start: string): boolean => [...declared].some((tool) => tool.startsWith(start))
  if (!name.includes(TOKEN)) return beginsTool(name) || (name.endsWith('<') && beginsTool(name.slice(0, -1)))
  const open = !name.slice(name.lastIndexOf(TOKEN)).includes('|>')
  return open || cleanName(name, declared) !== '' || name.endsWith('|>') || beginsTool(name.slice(name.lastIndexOf('|>') + 2))
}

/** Pieces of a name, a name that is repeated, and one that grows with each piece. */
const grown = (held: string, piece: string): string => (piece.startsWith(held) ? piece : held === piece ? held : held + piece)

export const watchNames = (
  next: () => AsyncIterable<Chunk>,
  declared: ReadonlySet<string>,
  onCut: (cut: NameCut) => void,
): AsyncIterable<Chunk> => ({
  [Symbol.asyncIterator]() {
    let inner: AsyncIterator<Chunk> | undefined
    let done = false
    const names = new Map<number, string>()
    const whole = new Set<CallId>()

    const close = (): void => {
      done = true
      const ended = async (): Promise<unknown> => inner?.return?.()
      ended().catch(() => {}) // the reply was cut: what its adapter throws while closing concerns nobody any more
    }
    const cut = (name: string): IteratorResult<Chunk> => {
      close()
      onCut({ name, whole })
      return { done: false, value: { type: 'finish', reason: { kind: 'invalid-tool', name } } }
    }

    const pass = (chunk: Chunk): IteratorResult<Chunk> => {
      if (chunk.type === 'tool-call-delta' && chunk.name !== undefined && chunk.name !== '') {
        const name = grown(names.get(chunk.index) ?? '', chunk.name)
        names.set(chunk.index, name)
        if (!mayBecome(name, declared)) return cut(name.split(TOKEN)[0] ?? name)
        const { name: _, ...nameless } = chunk
        const clean = cleanName(name, declared)
        return { done: false, value: !name.includes(TOKEN) ? chunk : clean === '' ? nameless : { ...nameless, name: clean } }
      }
      if (chunk.type === 'block-end' && chunk.block.type === 'tool-call') {
        const { block } = chunk
        const name = cleanName(block.name, declared)
        if (!declared.has(name)) return cut(name === '' ? (block.name.split(TOKEN)[0] ?? '') : name)
        whole.add(block.id)
        return { done: false, value: name === block.name ? chunk : { ...chunk, block: { ...block, name } } }
      }
      return { done: false, value: chunk }
    }

    return {
      async next() {
        if (done) return { done: true, value: undefined }
        inner ??= next()[Symbol.asyncIterator]()
        const result = await inner.next()
        return result.done ? result : pass(result.value)
      },
      async return() {
        done = true
        await inner?.return?.()
        return { done: true, value: undefined }
      },
    }
  },
})
