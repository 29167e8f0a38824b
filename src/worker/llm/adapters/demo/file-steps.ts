// Steps that several of the demo's scripts share: writing over what may exist, and reading what tools answered.
import { attempt, call, type DemoReply, type DemoResult, failure, GaveUp, use } from './script.ts'

export type NewFile = { readonly path: string; readonly content: string }

/**
 * Writes files, all in one step. One that exists and was not read, or was changed since, is refused by the tool: it is read and
 * then replaced, because the text is the demo's own to make.
 */
export function* writeFiles(text: string, files: readonly NewFile[]): Generator<DemoReply, void, readonly DemoResult[]> {
  const results = yield* attempt(text, ...files.map(({ path, content }) => call('write_file', { path, content })))
  const failed = files.filter((_file, index) => results[index]?.isError !== false)
  if (failed.length === 0) return
  const hopeless = failed.find((file) => !isRefusedOverwrite(results[files.indexOf(file)]))
  if (hopeless !== undefined) throw new GaveUp(failure('write_file', results[files.indexOf(hopeless)]))
  const names = failed.map(({ path }) => `\`${path}\``).join(', ')
  yield* use(
    `There already is ${names}, and I may not overwrite what I have not read. So I read it first.`,
    ...failed.map(({ path }) => call('read_file', { path })),
  )
  yield* use('Now I write it again.', ...failed.map(({ path, content }) => call('write_file', { path, content })))
}

export const isRefusedOverwrite = (result: DemoResult | undefined): boolean =>
  result?.isError === true && /have not read it|changed since you read it/.test(result.text)

/** The text of a file from what `read_file` answered. */
export const plainText = (result: DemoResult | undefined): string =>
  (result?.text ?? '')
    .split('\n')
    .filter((line) => !/^\[lines \d+ to \d+ of \d+\]$/.test(line))
    .map((line) => line.replace(/^\d+\t/, ''))
    .join('\n')

/** What `run_js` printed, and the value after its arrow. */
export const outputOf = (result: DemoResult | undefined): { readonly printed: string; readonly value: string } => {
  const text = result?.text ?? ''
  const arrow = /(?:^|\n)=> ([\s\S]*)$/.exec(text)
  return { printed: text.slice(0, arrow?.index ?? text.length), value: arrow?.[1] ?? '' }
}
