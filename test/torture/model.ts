// The model of the kill test: a server that does what the newest prompt asks for in brackets, piece by piece, and tells how far it is.
import { chatStream } from '../kit/chat-stream.ts'
import { openaiHistoryProblems } from '../kit/openai-history-checker.ts'
import { type Part, text, toolCall } from '../kit/replies.ts'
import { type Exchange, type ScriptedServer, startScriptedServer } from '../kit/scripted-server.ts'

/** What prompts may ask for. `bulk` answers at once, and its prompt is long: something to sum up. */
export const TASKS = ['talk', 'write', 'shell', 'code', 'ask', 'both', 'bulk'] as const
export type Task = (typeof TASKS)[number]

export const promptText = (id: string, task: Task): string =>
  `#${id} [${task}]${task === 'bulk' ? ` ${`Remember ${id}. `.repeat(1200)}` : ''}`
/** A file that this prompt writes, and what is in it. */
export const fileOf = (id: string) => ({ path: `/${id}.txt`, content: `Written for ${id}.\n` })

export type Model = {
  readonly baseUrl: string
  /** What the strictest server would have refused. */
  readonly problems: readonly string[]
  readonly requests: number
  /** Resolves when so many pieces of a reply to this prompt, or of a `summary`, have left; false when that did not come in time. */
  seen(prompt: string, pieces: number | 'end', withinMs: number): Promise<boolean>
  close(): Promise<void>
}

const PACE_MS = 12
const SUMMARY = 'summary'

type Message = { readonly role?: unknown; readonly content?: unknown }

const messagesOf = (body: unknown): readonly Message[] =>
  typeof body === 'object' && body !== null && 'messages' in body && Array.isArray(body.messages) ? body.messages : []

const wordsOf = ({ content }: Message): string => (typeof content === 'string' ? content : JSON.stringify(content ?? ''))

const words = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `word ${i} `)
const said = (pieces: readonly string[]): Part => text(pieces.join(''), { chunks: pieces })

const stepsOf = (task: Task, id: string, call: (n: number) => string): readonly (readonly Part[])[] => {
  const { path, content } = fileOf(id)
  const question = toolCall(
    'ask_user',
    { questions: [{ text: `Which one for ${id}?`, options: [{ label: 'left' }, { label: 'right' }] }] },
    call(1),
  )
  const opening = said(words(5))
  switch (task) {
    case 'talk':
      return [[said(words(40))]]
    case 'bulk':
      return [[said(words(4))]]
    case 'write':
      return [[opening, toolCall('write_file', { path, content }, call(1))], [said(words(8))]]
    case 'shell':
      return [[opening, toolCall('bash', { command: `printf 'Written for ${id}.\\n' > ${path} && wc ${path}` }, call(1))], [said(words(4))]]
    case 'code':
      return [[opening, toolCall('run_js', { code: '6 * 7' }, call(1))], [said(words(4))]]
    case 'ask':
      return [[opening, question], [said(words(4))]]
    case 'both':
      return [[opening, question, toolCall('write_file', { path, content }, call(2))], [said(words(4))]]
  }
}

/** What comes now: the newest prompt says what, the results behind it say how far it is. */
const replyTo = (messages: readonly Message[], request: number): { readonly prompt: string; readonly parts: readonly Part[] } => {
  if (wordsOf(messages[0] ?? {}).startsWith('You sum up')) return { prompt: SUMMARY, parts: [said(words(20))] }
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && /#\w+ \[\w+\]/.test(wordsOf({ content })))
  const [, id = '', task = ''] = [...wordsOf(messages[at] ?? {}).matchAll(/#(\w+) \[(\w+)\]/g)].at(-1) ?? []
  const steps = TASKS.some((each) => each === task) ? stepsOf(task as Task, id, (n) => `c${request}x${n}`) : []
  const results = messages.slice(at + 1).filter(({ role }) => role === 'tool').length
  return { prompt: id, parts: steps[results === 0 ? 0 : 1] ?? [said(words(3))] }
}

const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PACE_MS))

export const startModel = async (): Promise<Model> => {
  const problems: string[] = []
  const sent = new Map<string, number>()
  const waiting = new Set<() => void>()
  let requests = 0
  const note = (prompt: string, pieces: number): void => {
    sent.set(prompt, Math.max(sent.get(prompt) ?? 0, pieces))
    for (const look of [...waiting]) look()
  }

  const answer = async (exchange: Exchange): Promise<void> => {
    const { body } = exchange.request
    for (const problem of openaiHistoryProblems(body)) problems.push(`request ${requests}: ${problem}`)
    const { prompt, parts } = replyTo(messagesOf(body), ++requests)
    exchange.head(200, { 'content-type': 'text/event-stream' })
    let pieces = 0
    for (const step of chatStream(parts)) {
      if (exchange.gone) return
      if (typeof step === 'string') await exchange.write(step)
      note(prompt, ++pieces)
      await moment()
    }
    exchange.end()
    note(prompt, Number.POSITIVE_INFINITY)
  }

  const server: ScriptedServer = await startScriptedServer([], { models: ['scripted-1'], fallback: answer })
  return {
    baseUrl: server.baseUrl,
    problems,
    get requests() {
      return requests
    },
    seen: (prompt, pieces, withinMs) =>
      new Promise((resolve) => {
        if (prompt === SUMMARY) sent.delete(SUMMARY) // one after the other, all under one name
        const settle = (came: boolean): void => {
          waiting.delete(look)
          clearTimeout(timer)
          resolve(came)
        }
        const look = (): void => {
          if ((sent.get(prompt) ?? 0) >= (pieces === 'end' ? Number.POSITIVE_INFINITY : pieces)) settle(true)
        }
        const timer = setTimeout(() => settle(false), withinMs)
        waiting.add(look)
        look()
      }),
    close: () => server.close(),
  }
}
