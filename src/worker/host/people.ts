// The person's side of a session: answers, decisions, and which tools are put before them first. Loaded apart from the core.
import type { Json } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { SessionEventData } from '../../storage/log/events.ts'
import { jsonEqual } from '../../storage/log/lossless-json.ts'
import type { Session } from '../hooks/agent.ts'
import type { Runtime } from '../loop/scope.ts'
import { approvals } from '../plugins/people/approvals.ts'
import { eventOfCall } from '../plugins/people/await-event.ts'
import { questions } from '../plugins/people/questions.ts'
import { askUser } from '../tools/ask-user.ts'
import type { SharedSettings } from './shared-settings.ts'

type Settlement = SessionEventData['question/answered' | 'approval/decided']

export type People = {
  /**
   * Does this settle what waits? Not when it was settled in the same way before: then it is a command that was repeated.
   * Errors: `command/invalid` when nothing waits for it: another tab may have answered otherwise.
   */
  settles(session: Session, kind: 'question' | 'approval', given: Settlement): boolean
  /** Tools that are put before the person before they run. */
  asked(): readonly string[]
  ask(tools: readonly string[]): Promise<void>
}

const ASKED = 'ask-before'
const GRANTED = 'granted-always'

const readNames = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []

const settledBy = { question: 'question/answered', approval: 'approval/decided' } as const
const askedBy = { question: 'question/asked', approval: 'approval/asked' } as const

export const mountPeople = async (runtime: Runtime, settings: SharedSettings): Promise<People> => {
  const stored = async (): Promise<ReadonlySet<string>> => new Set(readNames(await settings.get(ASKED)))
  let asked = await stored()
  const grants = {
    has: async (tool: string) => readNames(await settings.get(GRANTED)).includes(tool),
    async add(tool: string) {
      await settings.set(GRANTED, [...new Set([...readNames(await settings.get(GRANTED)), tool])])
    },
  }
  runtime.use(questions, { tool: askUser })
  runtime.use(approvals, { asks: ({ name }) => asked.has(name), grants })

  const change = async (tools: readonly string[]): Promise<void> => {
    // Asking again takes back what was allowed for always.
    const added = tools.filter((tool) => !asked.has(tool))
    await settings.set(
      GRANTED,
      readNames(await settings.get(GRANTED)).filter((tool) => !added.includes(tool)),
    )
    await settings.set(ASKED, [...tools])
    asked = new Set(tools)
  }
  /** One change after another: each is judged by what the one before it left. */
  let changing: Promise<void> = Promise.resolve()
  settings.onNews(ASKED, () => {
    const read = async (): Promise<void> => {
      asked = await stored()
    }
    changing = changing.then(read).catch(() => {}) // what was known stands
  })

  return {
    settles(session, kind, given) {
      const settled = eventOfCall(session, settledBy[kind], given.callId)
      if (settled === undefined && eventOfCall(session, askedBy[kind], given.callId) !== undefined) return true
      if (settled !== undefined && jsonEqual(settled.data, given)) return false
      throw new SideloopError('command/invalid', `This ${kind} is settled already: it was answered elsewhere, or the turn was stopped`)
    },
    asked: () => [...asked],
    ask(tools) {
      changing = changing.catch(() => {}).then(() => change(tools)) // a failure is told to whoever asked for that change
      return changing
    },
  }
}
