// The script of the third suggested task: writes a program with a slip in it, runs it, reads the real error, and repairs what it names.
import { outputOf, writeFiles } from './file-steps.ts'
import { attempt, call, type DemoRule, type DemoScript, failure, fenced, use } from './script.ts'

export const fixProgram: DemoRule = (goal) =>
  /\bprogram\b|\bscript\b/i.test(goal) && /\bfix|\brepair|\bdebug/i.test(goal) && /\bwrite|\bmake|\bcreate/i.test(goal)
    ? fixScript('average.js')
    : undefined

const FIRST_VERSION = `// Works out the average of some temperatures.
const temperatures = [18.5, 21, 19.2, 23.8, 20.1]
const total = temperatures.reduce((sum, degrees) => sum + degrees, 0)
const average = totl / temperatures.length
console.log('Measurements:', temperatures.length)
console.log('Average:', average.toFixed(2))
`

function* fixScript(path: string): DemoScript {
  yield* writeFiles(`I write a small program to \`${path}\`.`, [{ path, content: FIRST_VERSION }])
  const [first] = yield* attempt('Now I run it.', call('run_js', { file: path }))
  if (first === undefined || !first.isError) return `It ran without an error:\n\n${fenced(first?.text ?? '')}`
  const repair = repairFor(first.text, FIRST_VERSION)
  if (repair === undefined) return failure('run_js', first)
  yield* writeFiles(
    `It failed: \`${repair.message}\`, in line ${repair.line}. The nearest name in the program is \`${repair.to}\`, so that is what was meant. I correct the line.`,
    [{ path, content: repair.program }],
  )
  const [second] = yield* use('And run it again.', call('run_js', { file: path }))
  const change = `- ${repair.before.trim()}\n+ ${repair.after.trim()}`
  return `The first run failed with \`${repair.message}\`. I changed line ${repair.line} of \`${path}\`:\n\n${fenced(change, 'diff')}\n\nNow it runs:\n\n${fenced(outputOf(second).printed.trim())}`
}

type Repair = {
  readonly message: string
  readonly line: number
  readonly to: string
  readonly before: string
  readonly after: string
  readonly program: string
}

/** Knows one kind of error: a name that does not exist, and looks like one that does. */
const repairFor = (error: string, program: string): Repair | undefined => {
  const message = /ReferenceError: '?(\w+)'? is not defined/.exec(error)
  const line = Number(/\bline (\d+):/.exec(error)?.[1])
  const wrong = message?.[1]
  const lines = program.split('\n')
  const before = lines[line - 1]
  if (message === null || wrong === undefined || before === undefined) return undefined
  const declared = [...program.matchAll(/\b(?:const|let|var|function)\s+(\w+)/g)].map(([, name]) => name ?? '')
  const to = declared.find((name) => lettersInOrder(wrong, name) || lettersInOrder(name, wrong))
  if (to === undefined) return undefined
  const after = before.replace(new RegExp(`\\b${wrong}\\b`, 'g'), to)
  return {
    message: message[0],
    line,
    to,
    before,
    after,
    program: lines.map((each, index) => (index === line - 1 ? after : each)).join('\n'),
  }
}

/** Whether `short` is `long` with some letters forgotten. */
const lettersInOrder = (short: string, long: string): boolean => {
  let at = 0
  for (const letter of long) if (letter === short[at]) at += 1
  return at === short.length && long.length - short.length <= 2
}
