// The person's side of a session: answers, decisions, and which tools are put before them first. Loaded apart from the core.
import type { CallId, Json } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { SettingsStore } from '../../storage/settings-store.ts'
import type { Session } from '../hooks/agent.ts'
import type { Runtime } from '../loop/scope.ts'
import { approvals } from '../plugins/people/approvals.ts'
import { eventOfCall } from '../plugins/people/await-event.ts'
import { questions } from '../plugins/people/questions.ts'
import { askUser } from '../tools/ask-user.ts'

export type People = {
  /** Errors: `command/invalid` when nothing waits for it: another tab may have answered. */
  checkWaits(session: Session, kind: 'question' | 'approval', callId: CallId): void
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

export const mountPeople = async (runtime: Runtime, settings: SettingsStore): Promise<People> => {
  let asked = new Set(readNames(await settings.get(ASKED)))
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

  return {
    checkWaits(session, kind, callId) {
      const waits = eventOfCall(session, askedBy[kind], callId) !== undefined && eventOfCall(session, settledBy[kind], callId) === undefined
      if (!waits)
        throw new SideloopError('command/invalid', `This ${kind} is settled already: it was answered elsewhere, or the turn was stopped`)
    },
    asked: () => [...asked],
    ask(tools) {
      changing = changing.catch(() => {}).then(() => change(tools)) // a failure is told to whoever asked for that change
      return changing
    },
  }
}
