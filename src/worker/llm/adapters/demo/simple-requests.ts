// Rules for single requests in plain words: list, read, write, add, run.

import { isRefusedOverwrite, outputOf, plainText, writeFiles } from './file-steps.ts'
import { attempt, call, type DemoRule, type DemoScript, failure, fenced, use } from './script.ts'

const PATH = '[`"\'“]?([^\\s`"\'“”]+)[`"\'”]?'
const QUOTED = '["“\'`]([\\s\\S]+)["”\'`]'
const POLITE = '^(?:please\\s+|can you\\s+|could you\\s+)?'
const rule = (pattern: string): RegExp => new RegExp(`${POLITE}${pattern}`, 'i')

/** `list files`, `ls texts`, `what files are there?` */
export const listFiles: DemoRule = (goal) => {
  const text = goal.trim()
  const inFolder = rule(
    `(?:list|show)(?:\\s+(?:me|all|the|my))*\\s+files(?:\\s+(?:in|of|under)\\s+(?:the\\s+folder\\s+)?${PATH})?[.?!]*$`,
  ).exec(text)
  if (inFolder !== null) return listScript(inFolder[1])
  const short = /^(?:ls|dir)(?:\s+(\S+))?$/i.exec(text)
  if (short !== null) return listScript(short[1])
  return /^(?:what|which)\s+files\b/i.test(text) ? listScript(undefined) : undefined
}

function* listScript(folder: string | undefined): DemoScript {
  const [result] = yield* use('I look.', call('list_files', folder === undefined ? {} : { folder }))
  return fenced(result?.text ?? '')
}

/** `read notes.md`, `show me the file texts/sea.txt` */
export const readOneFile: DemoRule = (goal) => {
  const path = rule(`(?:read|show|open|cat|print|display)(?:\\s+(?:me|the|file))*\\s+${PATH}[.?!]*$`).exec(goal.trim())?.[1]
  return path === undefined || !/[./]/.test(path) ? undefined : readScript(path.replace(/[.?!]+$/, ''))
}

function* readScript(path: string): DemoScript {
  const [result] = yield* use(`I read \`${path}\`.`, call('read_file', { path }))
  return `This is \`${path}\`:\n\n${fenced(plainText(result))}`
}

/** `write "text" to file.txt`, `create a file a.txt with "text"`, `write to a.js:` and a code block */
export const writeOneFile: DemoRule = (goal) => {
  const text = goal.trim()
  const first = rule(`(?:write|save|put|store)\\s+${QUOTED}\\s+(?:to|in|into|as)\\s+(?:the\\s+|a\\s+)?(?:file\\s+)?${PATH}[.!]*$`).exec(
    text,
  )
  if (first !== null) return writeScript(first[2]!, first[1]!)
  const second = rule(
    `(?:create|write|make)\\s+(?:a\\s+|the\\s+)?(?:new\\s+)?file\\s+(?:called\\s+|named\\s+)?${PATH}\\s+with\\s+(?:the\\s+)?(?:text\\s+|content\\s+)?${QUOTED}[.!]*$`,
  ).exec(text)
  if (second !== null) return writeScript(second[1]!, second[2]!)
  const block = rule(`(?:write|save|put)\\s+(?:this\\s+)?(?:to|into)\\s+${PATH}:?\\s*\`\`\`\\w*\\n([\\s\\S]*?)\`\`\`\\s*$`).exec(text)
  return block === null ? undefined : writeScript(block[1]!.replace(/:$/, ''), block[2]!)
}

function* writeScript(path: string, content: string): DemoScript {
  const [result] = yield* attempt(`I write \`${path}\`.`, call('write_file', { path, content }))
  if (!isRefusedOverwrite(result)) return result?.isError === false ? result.text : failure('write_file', result)
  yield* use('There is such a file already, and I have not read it yet. I read it before I replace it.', call('read_file', { path }))
  const [second] = yield* use('Now I write it, as you asked.', call('write_file', { path, content }))
  return `${second?.text ?? ''} What was there before is replaced.`
}

/** `add "text" to notes.md` */
export const addToFile: DemoRule = (goal) => {
  const match = rule(`(?:add|append)\\s+${QUOTED}\\s+(?:to|at the end of)\\s+(?:the\\s+)?(?:file\\s+)?${PATH}[.!]*$`).exec(goal.trim())
  return match === null ? undefined : addScript(match[2]!, match[1]!)
}

function* addScript(path: string, line: string): DemoScript {
  const [read] = yield* attempt(`I read \`${path}\` first.`, call('read_file', { path }))
  const missing = read?.isError === true && /There is no file/.test(read.text)
  if (read === undefined || (read.isError && !missing)) return failure('read_file', read)
  if (/\[lines \d+ to \d+ of \d+\]$/.test(read.text))
    return `\`${path}\` is too long for me: I only change files that I can read in one go.`
  const before = missing || / is empty\.$/.test(read.text) ? '' : `${plainText(read).trimEnd()}\n`
  yield* writeFiles(missing ? 'There is none yet, so I make it.' : 'Now I add the line.', [{ path, content: `${before}${line}\n` }])
  return `Done: “${line}” is the last line of \`${path}\`.`
}

/** A code block, `run program.js`, `run: 1 + 1` */
export const runCode: DemoRule = (goal) => {
  const text = goal.trim()
  const block = /```(?:js|javascript|ts|typescript)?[ \t]*\n([\s\S]*?)```/i.exec(text)?.[1]
  if (block !== undefined) return runScript({ code: block })
  const file = rule(`(?:run|execute|start)\\s+(?:the\\s+)?(?:file\\s+|program\\s+|script\\s+)?${PATH}[.!]*$`).exec(text)?.[1]
  if (file !== undefined && /\.m?js$/i.test(file)) return runScript({ file })
  const inline = /^(?:run|eval|execute|js)\s*:?\s+`?([\s\S]+?)`?$/i.exec(text)?.[1]
  return inline !== undefined && /[=()+*/[\]{};.]/.test(inline) ? runScript({ code: inline }) : undefined
}

function* runScript(args: { readonly code: string } | { readonly file: string }): DemoScript {
  const [result] = yield* attempt('I run it in the sandbox.', call('run_js', args))
  if (result === undefined) return failure('run_js', result)
  if (result.isError)
    return `It did not work:\n\n${fenced(result.text)}\n\nI can only repair programs of my own. A language model could try.`
  const { printed, value } = outputOf(result)
  const parts = [
    printed.trim() === '' ? '' : `It printed:\n\n${fenced(printed.trimEnd())}`,
    value === '' ? '' : `The value is \`${value.replaceAll('`', "'")}\`.`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}
