// Markdown that grows: finished blocks are parsed once and kept, only the open block at the end is parsed again.
import type { Block } from './lex-markdown.ts'
import { lexMarkdown } from './lex-markdown.ts'

/** How many finished blocks a group holds; a full group is never touched again, so that a view can keep it by reference. */
export const GROUP_SIZE = 16

export type Growing = {
  /** All of the text, with line ends as `\n`. */
  readonly text: string
  readonly groups: readonly (readonly Block[])[]
  /** Where the open part begins. */
  readonly closedAt: number
  /** The open part as it was parsed last, up to `parsedAt`; what came after is `rest`, shown as it is. */
  readonly tail: readonly Block[]
  readonly parsedAt: number
  readonly rest: string
  /** The open part is a fenced code block without its end. */
  readonly inFence: boolean
  /** Something bears on finished blocks (a link's definition): at the end the whole is parsed once more. */
  readonly reaches: boolean
}

export const EMPTY: Growing = { text: '', groups: [], closedAt: 0, tail: [], parsedAt: 0, rest: '', inFence: false, reaches: false }

/** Below this size an open block is parsed at every step; above it only after it grew by a sixteenth, so the total stays linear. */
const ALWAYS_BELOW = 4096
const GROWTH = 16

/** `open`: more may come. A text that does not continue the earlier one is parsed anew. */
export const advance = (before: Growing, source: string, open: boolean): Growing => {
  const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source
  const from = text.startsWith(before.text) ? before : EMPTY
  if (open) return text.length === from.text.length ? from : grow(from, text)
  return finish(from.reaches ? EMPTY : from, text)
}

const finish = (from: Growing, text: string): Growing => {
  const { blocks, reaches } = lexMarkdown(text.slice(from.closedAt))
  if (reaches && from.closedAt > 0) return finish(EMPTY, text)
  return { ...EMPTY, text, groups: withBlocks(from.groups, blocks), closedAt: text.length, parsedAt: text.length }
}

const grow = (from: Growing, text: string): Growing => {
  const fence = openFence(text, from)
  if (fence !== undefined) return { ...from, text, tail: [fence], parsedAt: text.length, rest: '', inFence: true }
  const size = text.length - from.closedAt
  const isDue = size <= ALWAYS_BELOW || from.inFence || text.length - from.parsedAt >= size / GROWTH
  if (!isDue) return { ...from, text, rest: text.slice(from.parsedAt) }
  const { blocks, reaches } = lexMarkdown(text.slice(from.closedAt))
  const { finished, length } = closable(blocks, text, from.closedAt)
  return {
    text,
    groups: withBlocks(from.groups, blocks.slice(0, finished)),
    closedAt: from.closedAt + length,
    tail: sameParts(from.tail, blocks.slice(finished)),
    parsedAt: text.length,
    rest: '',
    inFence: false,
    reaches: from.reaches || reaches,
  }
}

/** Items of a long list and rows of a long table that are as they were keep their identity, so that they are not drawn again. */
const sameParts = (before: readonly Block[], now: readonly Block[]): readonly Block[] => {
  const [was, is] = [before[0], now[0]]
  if (was?.type === 'list' && is?.type === 'list') {
    const items = is.items.map((item, index) => {
      const old = was.items[index]
      return old !== undefined && old.raw === item.raw && old.loose === item.loose ? old : item
    })
    return [{ ...is, items }, ...now.slice(1)]
  }
  if (was?.type === 'table' && is?.type === 'table') {
    const rows = is.rows.map((row, index) => (isSameRow(was.rows[index], row) ? (was.rows[index] ?? row) : row))
    return [{ ...is, rows }, ...now.slice(1)]
  }
  return now
}

type Row = readonly { readonly text: string; readonly align: string | null }[]
const isSameRow = (a: Row | undefined, b: Row): boolean =>
  a !== undefined && a.length === b.length && a.every((cell, index) => cell.text === b[index]?.text && cell.align === b[index]?.align)

/** How many of the blocks cannot change any more whatever comes, and how long they are. */
const closable = (blocks: readonly Block[], text: string, start: number): { readonly finished: number; readonly length: number } => {
  let finished = 0
  let length = 0
  let end = 0
  for (const [index, block] of blocks.entries()) {
    if (index > 0 && block.type !== 'space' && hasBegun(text, start + end)) {
      finished = index
      length = end
    }
    end += block.raw.length
    if (endsItself(block) && text.indexOf('\n', start + end - 1) >= 0) {
      finished = index + 1
      length = end
    }
  }
  return { finished, length }
}

/**
 * A block that begins here ends the ones before it: a blank line is above it, and its first line is complete or begins with a letter.
 * Other incomplete lines may still turn into anything (`-` into a list's item, `1` into the next number).
 */
const hasBegun = (text: string, at: number): boolean =>
  /\n[ \t]*\n$/.test(text.slice(Math.max(0, at - 80), at)) && (/^\p{L}/u.test(text.slice(at, at + 2)) || text.indexOf('\n', at) >= 0)

const endsItself = (block: Block): boolean => {
  if (block.type === 'heading') return block.raw.startsWith('#')
  return block.type === 'hr' || (block.type === 'code' && /^(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*\n)? {0,3}\1[~`]* *\n*$/.test(block.raw))
}

/** An unfinished code block is known by its first line: its text needs no parsing, however long it gets. */
const openFence = (text: string, from: Growing): Block | undefined => {
  const first = text.indexOf('\n', from.closedAt)
  if (first < 0) return undefined
  const opening = /^(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(text.slice(from.closedAt, first))
  if (opening === null) return undefined
  const [, fence = '```', info = ''] = opening
  // Only what came since the last look can hold the end; it may have begun on the line before.
  const looked = from.inFence ? Math.max(first + 1, text.lastIndexOf('\n', from.text.length - 1) + 1) : first + 1
  if (new RegExp(`^ {0,3}${fence}[~\`]* *$`, 'm').test(text.slice(looked))) return undefined
  return { type: 'code', raw: text.slice(from.closedAt), lang: info.trim(), text: withoutHalfFence(text.slice(first + 1), fence) }
}

/** A last line of the fence's own characters is most likely its end being written: showing it would flicker. */
const withoutHalfFence = (body: string, fence: string): string => {
  const line = body.lastIndexOf('\n') + 1
  return fence.startsWith(body.slice(line)) ? body.slice(0, Math.max(0, line - 1)) : body
}

/** What is to be shown, finished and open; block `n` is always in group `n / GROUP_SIZE`, so that its nodes stay when it is finished. */
export const shownGroups = (growing: Growing): Growing['groups'] => withBlocks(growing.groups, growing.tail)

const withBlocks = (groups: Growing['groups'], blocks: readonly Block[]): Growing['groups'] => {
  const shown = blocks.filter((block) => block.type !== 'space' && block.type !== 'def')
  if (shown.length === 0) return groups
  const result = [...groups]
  const last = result.at(-1)
  let group = last !== undefined && last.length < GROUP_SIZE ? [...(result.pop() ?? [])] : []
  for (const block of shown) {
    if (group.length === GROUP_SIZE) {
      result.push(group)
      group = []
    }
    group.push(block)
  }
  result.push(group)
  return result
}
