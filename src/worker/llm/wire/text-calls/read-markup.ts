// Takes the calls out of one whole text. For whoever has the answer in hand; a stream goes through the filter itself.
import type { ToolSchema } from '../../../../storage/log/model-call.ts'
import { textCalls } from './find-calls.ts'

export type ReadMarkup = {
  /** What is left when the calls are taken out. */
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
}

export const readMarkup = (written: string, tools: readonly ToolSchema[]): ReadMarkup => {
  const texts: string[] = []
  const calls: { readonly name: string; readonly arguments: string }[] = []
  const filter = textCalls(
    { tools, newId: () => '' },
    {
      text: (piece) => void texts.push(piece),
      call: ({ name = '', arguments: args = '' }) => void calls.push({ name, arguments: args }),
    },
  )
  filter.push(written)
  filter.end('whole')
  return { text: texts.join(''), calls }
}
