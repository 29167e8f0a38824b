// The tool `run_js`: runs JavaScript in a sandbox and tells what it printed, what came out, or what went wrong and where.
import type { Json } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { JsConsoleLine, JsEnding, JsFile, JsRunResult, JsSandbox } from '../capabilities/js/js-sandbox.ts'
import { capText } from './cap-text.ts'
import { defineTool } from './define-tool.ts'
import type { ToolContext, ToolDefinition, ToolReturn } from './tool.ts'
import { type FileCapability, workspaceOf } from './workspace-of.ts'

const DEFAULT_TIMEOUT_MS = 10_000
const LONGEST_TIMEOUT_MS = 60_000
const MEMORY_BYTES = 64 * 1024 * 1024
const LONGEST_CODE = 500_000
const LONGEST_RESULT = 16_000

export type RunJsOptions = FileCapability & {
  readonly sandbox: JsSandbox
  /** Bytes that the code may use. Default 64 MiB. */
  readonly memoryBytes?: number
}

/** `meta`: `{ ms, ending, consoleLines, error? { name, message, line? } }`; `ending` as in `JsEnding.kind`. */
export const runJs = ({ sandbox, memoryBytes = MEMORY_BYTES, ...files }: RunJsOptions): ToolDefinition =>
  defineTool({
    name: 'run_js',
    description:
      'Run JavaScript: console output and the value of the last expression come back; top-level await works. No network, DOM, imports or writing of files. Files you name are in files["/path"] and readFile("/path").',
    parameters: {
      code: { type: 'string', description: 'What to run; or give "file"' },
      file: { type: 'string', description: 'Path of a script to run instead' },
      files: { type: 'array', items: { type: 'string' }, description: 'Files or folders the code may read' },
      timeoutMs: { type: 'integer', minimum: 100, maximum: LONGEST_TIMEOUT_MS, description: `Default ${DEFAULT_TIMEOUT_MS}` },
    },
    async execute({ code, file, files: wanted = [], timeoutMs = DEFAULT_TIMEOUT_MS }, context): Promise<ToolReturn> {
      const script = await scriptOf(files, context, code, file)
      const passed: readonly JsFile[] = wanted.length === 0 ? [] : await workspaceOf(files, context).collectText(wanted)
      const onConsole = ({ level, text }: JsConsoleLine): void => context.progress({ console: { level, text } })
      const result = await sandbox.run({ ...script, files: passed, timeoutMs, memoryBytes, onConsole }, context.signal)
      return told(result, script.code, timeoutMs)
    },
  })

const scriptOf = async (
  files: FileCapability,
  context: ToolContext,
  code: string | undefined,
  file: string | undefined,
): Promise<{ readonly code: string; readonly fileName: string }> => {
  const problem = (code === undefined) === (file === undefined) ? 'Give either "code" or "file".' : undefined
  if (problem !== undefined) throw new SideloopError('command/invalid', problem)
  if (code !== undefined) return checkLength({ code, fileName: 'main.js' })
  const [script, ...others] = await workspaceOf(files, context).collectText([file ?? ''])
  if (script === undefined || others.length > 0) {
    throw new SideloopError('command/invalid', `"file" must name one script, and ${JSON.stringify(file)} is a folder.`)
  }
  return checkLength({ code: script.text, fileName: script.path })
}

const checkLength = <T extends { readonly code: string }>(script: T): T => {
  if (script.code.length <= LONGEST_CODE) return script
  throw new SideloopError(
    'command/invalid',
    `The code is longer than ${LONGEST_CODE} characters. Put data into files and name them in "files".`,
  )
}

const told = (result: JsRunResult, code: string, timeoutMs: number): ToolReturn => {
  const { ending, console, droppedLines, ms } = result
  const printed = [
    ...console.map(({ level, text }) => (level === 'warn' || level === 'error' ? `[${level}] ${text}` : text)),
    ...(droppedLines > 0 ? [`… ${droppedLines} more console lines left out`] : []),
  ].join('\n')
  const outcome = outcomeText(ending, code, timeoutMs, printed !== '')
  const text = [capText(printed, LONGEST_RESULT), capText(outcome, LONGEST_RESULT)].filter((part) => part !== '').join('\n')
  const meta: Record<string, Json> = { ms, ending: ending.kind, consoleLines: console.length + droppedLines }
  if (ending.kind === 'error') {
    const { name, message, line } = ending.error
    meta.error = { name, message: message.slice(0, 500), ...(line === undefined ? {} : { line }) }
  }
  return { content: [{ type: 'text', text }], isError: ending.kind !== 'value', meta }
}

const outcomeText = (ending: JsEnding, code: string, timeoutMs: number, hasPrinted: boolean): string => {
  switch (ending.kind) {
    case 'value':
      if (ending.text !== 'undefined') return `=> ${ending.text}`
      return hasPrinted ? '' : '=> undefined (nothing was printed; end with an expression or use console.log)'
    case 'error':
      return errorText(ending.error, code)
    case 'timeout':
      return `Error: stopped after ${timeoutMs} ms, still running. Look for an endless loop or a timer that never ends, do less, or raise timeoutMs.`
    case 'memory':
      return 'Error: out of memory. Keep less at once: work in parts, or write a loop that does not collect everything.'
    case 'stuck':
      return 'Error: it waits for a promise that nothing is left to settle. Call its resolve function, or do not await it.'
    case 'crash':
      return `Error: the JavaScript engine broke (${ending.message}) and was replaced. Usually something is nested or recursive beyond measure.`
  }
}

const errorText = ({ name, message, line, trace }: Extract<JsEnding, { kind: 'error' }>['error'], code: string): string => {
  const source = line === undefined ? undefined : code.split('\n')[line - 1]?.trim()
  return [
    `${name}${message === '' ? '' : `: ${message}`}`,
    ...(source ? [`line ${line}: ${source.slice(0, 200)}`] : []),
    ...trace.map((place) => `    ${place}`),
    ...hintFor(name, message, source ?? ''),
  ].join('\n')
}

/** What models expect from other runtimes and do not find here. */
const hintFor = (name: string, message: string, source: string): readonly string[] => {
  if (name === 'InternalError' && message === 'stack overflow') return ['Hint: the recursion is too deep. Use a loop.']
  if (name === 'SyntaxError' && /^(import|export)\b/.test(source))
    return ['Hint: there are no modules here. Put everything into one script.']
  const missing = /^'?(\w+)'? is not defined$/.exec(message)?.[1]
  if (missing === 'require') return ['Hint: there are no modules here. Read passed files with readFile("/path").']
  if (missing !== undefined && ELSEWHERE.includes(missing)) return [`Hint: this is plain JavaScript; ${missing} does not exist here.`]
  return []
}

const ELSEWHERE = [
  'fetch',
  'process',
  'document',
  'window',
  'self',
  'navigator',
  'localStorage',
  'Buffer',
  'URL',
  'TextEncoder',
  'TextDecoder',
  'Deno',
  'crypto',
]
