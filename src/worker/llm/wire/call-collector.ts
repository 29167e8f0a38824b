// Puts the pieces of tool calls together (W3): which call a piece belongs to, what its name is, which calls are whole.
import type { ToolCallBlock } from '../../../storage/log/content.ts'
import type { Chunk } from '../../../storage/log/model-call.ts'
import { readArguments } from '../tool-arguments.ts'
import type { BlockWriter } from './block-writer.ts'
import { isFields, parsedJson } from './fields.ts'
import type { ReaderContext } from './reply-reader.ts'

export type CallPiece = {
  readonly id?: string
  readonly index?: number
  readonly name?: string
  readonly arguments?: string
  /** The vendor sends whole calls here, so this piece is a call of its own. */
  readonly whole?: true
}

export interface CallCollector {
  add(piece: CallPiece): void
  /**
   * Ends the calls, in the order in which they were opened. `whole`: the reply came to its end, every call is ended with what it
   * has. `cut`: only calls whose arguments are complete are ended; a cut call gets no block-end, and so never becomes a block.
   */
  close(ending: 'whole' | 'cut'): {
    /** Calls that were ended. */ readonly ended: number /** Those whose arguments can be read. */
    readonly readable: number
  }
}

type OpenCall = {
  readonly block: number
  readonly id: string
  vendorId: string | undefined
  index: number | undefined
  readonly names: string[]
  text: string
}

export const callCollector = (context: ReaderContext, blocks: BlockWriter, emit: (chunk: Chunk) => void): CallCollector => {
  const calls: OpenCall[] = []
  const ids = new Set<string>()

  const owner = (piece: CallPiece): OpenCall | undefined => {
    if (piece.whole === true) return undefined
    const place = piece.index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === piece.index)
    if (piece.id === undefined) return place !== undefined && opensAnother(place, piece) ? undefined : place
    const same = calls.findLast((call) => call.vendorId === piece.id)
    if (same !== undefined) return (piece.index ?? same.index) === (same.index ?? piece.index) ? same : undefined
    // An id that comes later than its call: only for a call that has none yet, and that this piece can be a part of.
    return place?.vendorId === undefined && !(piece.name !== undefined && place?.text !== '') ? place : undefined
  }

  const open = (piece: CallPiece): OpenCall => {
    const given = piece.id
    const usable = given !== undefined && !ids.has(given) && context.takenIds?.has(given) !== true
    const id = usable ? given : context.newId()
    ids.add(id)
    const call = { block: blocks.startCall(), id, vendorId: given, index: piece.index, names: [], text: '' }
    calls.push(call)
    return call
  }

  return {
    add(piece) {
      const found = owner(piece)
      if (found === undefined && piece.id === undefined && !piece.name && !piece.arguments) return
      const call = found ?? open(piece)
      call.vendorId ??= piece.id
      call.index ??= piece.index
      const more = piece.arguments ?? ''
      const named = call.names.length > 0
      if (piece.name) call.names.push(piece.name)
      call.text += more
      if (found !== undefined && more === '' && (named || !piece.name)) return
      const name = !named && piece.name ? { name: piece.name } : {}
      emit({ type: 'tool-call-delta', index: call.block, id: call.id, ...name, argumentsDelta: more })
    },
    close(ending) {
      let ended = 0
      let readable = 0
      for (const call of calls) {
        const isLast = call === calls.at(-1)
        if (ending === 'cut' && !(isComplete(call.text) || (!isLast && call.text.trim() === ''))) continue
        const { block: index, id, vendorId } = call
        const block: ToolCallBlock = {
          type: 'tool-call',
          id,
          name: chooseName(call.names, context),
          arguments: call.text,
          ...(vendorId === undefined || vendorId === id ? {} : { vendorId }),
        }
        emit({ type: 'block-end', index, block })
        ended += 1
        if (isReadable(call.text)) readable += 1
      }
      calls.length = 0
      return { ended, readable }
    },
  }
}

/** A named piece that begins an object, for a call that has a whole one: servers that send neither ids nor usable numbers. */
const opensAnother = (call: OpenCall, piece: CallPiece): boolean =>
  piece.name !== undefined && piece.name !== '' && /^\s*\{/.test(piece.arguments ?? '') && isComplete(call.text)

/** Without its schema only an integer of too many digits does not fit one; the tool's own may want it as text. */
const isReadable = (text: string): boolean => {
  const read = readArguments(text)
  return read.ok || read.reason === 'schema'
}

const isComplete = (text: string): boolean => /\}\s*$/.test(text) && isFields(parsedJson(text))

/**
 * Some servers repeat the name in every piece, some split it, some send it longer each time. The first reading that is a
 * declared tool counts; repeated names are kept once.
 */
const chooseName = (names: readonly string[], context: ReaderContext): string => {
  const folded = names.reduce((held, piece) => (held === piece ? held : held + piece), '')
  const readings = [folded, names.join(''), names.at(-1) ?? '', names[0] ?? '']
  return readings.find((reading) => context.tools?.some((tool) => tool.name === reading)) ?? folded
}
