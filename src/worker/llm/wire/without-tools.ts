// A valid history for a model that has no tools (W13): former calls and their results as plain words.
import { type HistoryTurn, joinTexts, type UserPart } from './history.ts'

export const withoutTools = (turns: readonly HistoryTurn[]): readonly HistoryTurn[] => {
  const written: HistoryTurn[] = []
  for (const turn of turns) {
    if (turn.kind === 'assistant') {
      const blocks = turn.blocks.map((block) =>
        block.type === 'call' ? { type: 'text' as const, text: `[Called ${block.name} with ${block.arguments}]` } : block,
      )
      written.push({ ...turn, blocks })
      continue
    }
    const parts = turn.kind === 'user' ? turn.parts : joinTexts(turn.results.flatMap(resultParts), '\n')
    const last = written.at(-1)
    if (last?.kind === 'user') written[written.length - 1] = { kind: 'user', parts: joinTexts([...last.parts, ...parts], '\n\n') }
    else written.push({ kind: 'user', parts })
  }
  return written
}

const resultParts = ({ name, parts }: { readonly name: string; readonly parts: readonly UserPart[] }): readonly UserPart[] => [
  { type: 'text', text: `[Result of ${name}]` },
  ...parts,
]
