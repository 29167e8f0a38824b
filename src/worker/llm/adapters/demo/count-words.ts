// Rules for counting words: over three files that the demo writes itself, or over files that are there.
import { outputOf, writeFiles } from './file-steps.ts'
import { call, type DemoRule, type DemoScript, fenced, use } from './script.ts'

/** `Write three short texts into files and count the words over all of them.` */
export const countNewFiles: DemoRule = (goal) =>
  /\bcount\b/i.test(goal) && /\bwords?\b/i.test(goal) && /\bwrite|\bmake|\bcreate/i.test(goal) ? newFilesScript() : undefined

/** `count the words in notes.md and texts/sea.txt`, `count words in all files` */
export const countWords: DemoRule = (goal) => {
  if (!/\bcount\b/i.test(goal) || !/\bwords?\b/i.test(goal)) return undefined
  const named = [...goal.matchAll(/[\w./-]*[\w-]+\.[a-z]\w{0,7}\b/gi)].map(([path]) => path)
  return countScript(named.length > 0 ? named : ['/'])
}

const FILES = [
  { path: 'texts/sea.txt', content: 'The sea is calm tonight.\nThe tide is full, the moon lies fair\nupon the water.\n' },
  { path: 'texts/tea.txt', content: 'Warm the pot, add one spoon for each guest\nand one for the pot. Wait four minutes.\n' },
  { path: 'texts/train.txt', content: 'The night train leaves at ten past eleven\nand arrives before the bakeries open.\n' },
]

function* newFilesScript(): DemoScript {
  yield* writeFiles('I write the three texts, all in one go.', FILES)
  yield* use('Let me see that they are there.', call('list_files', { folder: 'texts' }))
  yield* use('I read all three at the same time.', ...FILES.map(({ path }) => call('read_file', { path })))
  return yield* countScript(FILES.map(({ path }) => path))
}

const CODE = `const counts = Object.entries(files).map(([path, text]) => ({
  path,
  words: text.split(/\\s+/).filter((word) => word !== '').length,
}))
console.log(JSON.stringify(counts))
counts.reduce((sum, { words }) => sum + words, 0)`

function* countScript(paths: readonly string[]): DemoScript {
  const [result] = yield* use(
    'JavaScript does the counting, so that I need not trust my eyes.',
    call('run_js', { code: CODE, files: paths }),
  )
  const { printed, value } = outputOf(result)
  const counts = readCounts(printed)
  if (counts === undefined) return `The count came back as:\n\n${fenced(result?.text ?? '')}`
  if (counts.length === 0) return 'There are no files to count words in.'
  const rows = counts.map(({ path, words }) => `| ${path.replaceAll('|', '\\|')} | ${words} |`)
  return ['| File | Words |', '|---|---:|', ...rows, `| **Total** | **${value}** |`].join('\n')
}

type Count = { readonly path: string; readonly words: number }

const readCounts = (printed: string): readonly Count[] | undefined => {
  try {
    const value: unknown = JSON.parse(printed)
    return Array.isArray(value) ? value.filter(isCount) : undefined
  } catch {
    return undefined // cut or changed on its way; the caller shows what came
  }
}

const isCount = (value: unknown): value is Count =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  'words' in value &&
  typeof value.path === 'string' &&
  typeof value.words === 'number'
