// A valid history for a model that has no tools (W13): former calls and their results as plain words.
import { type HistoryCall, type HistoryTurn, joinTexts, type UserPart } from './history.ts'

export type ToolWords = {
  call(call: HistoryCall): string
  /** What stands before the result of the tool of this name, and after it. */
  result(name: string): readonly string[]
}

const PLAIN: ToolWords = {
  call: ({ name, arguments: json }) => `[Called ${name} with ${json}]`,
  result: (name) => [`[Result of ${name}]`],
}

/** `words`: for a model that writes its calls in a form of its own. */
export const withoutTools = (turns: readonly HistoryTurn[], words = PLAIN): readonly HistoryTurn[] => {
  const written: HistoryTurn[] = []
  for (const turn of turns) {
    if (turn.kind === 'assistant') {
      const blocks = turn.blocks.map((block) => (block.type === 'call' ? { type: 'text' as const, text: words.call(block) } : block))
      written.push({ ...turn, blocks })
      continue
    }
    const parts =
      turn.kind === 'user'
        ? turn.parts
        : joinTexts(
            turn.results.flatMap(({ name, parts: held }) => wrapped(held, words.result(name))),
            '\n',
          )
    const last = written.at(-1)
    if (last?.kind === 'user') written[written.length - 1] = { kind: 'user', parts: joinTexts([...last.parts, ...parts], '\n\n') }
    else written.push({ kind: 'user', parts })
  }
  return written
}

const wrapped = (parts: readonly UserPart[], around: readonly string[]): readonly UserPart[] => {
  const [before, after] = around.map((text) => ({ type: 'text' as const, text }))
  return [...(before === undefined ? [] : [before]), ...parts, ...(after === undefined ? [] : [after])]
}
