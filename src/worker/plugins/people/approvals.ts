// Approvals: some calls are put before the person first. The decision is an event with its reach; with nobody there the answer is no.
import type { Decision } from '../../../storage/log/events.ts'
import { grants as grantsOf, type SessionGrants } from '../../../storage/log/projections/grants.ts'
import type { Agent, Session } from '../../hooks/agent.ts'
import type { Execution, PreExecute } from '../../hooks/tool.ts'
import type { Plugin, Scope } from '../../loop/scope.ts'
import { awaitEvent, eventOfCall } from './await-event.ts'

/** What was allowed for always, by tool. */
export interface Grants {
  has(tool: string): Promise<boolean>
  add(tool: string): Promise<void>
}

export type ApprovalsConfig = {
  /** Is this call to be put before the person? Calls that another policy wants asked are, anyway. */
  readonly asks: (execution: Execution) => boolean | Promise<boolean>
  /** Can anybody answer? Default: yes. */
  readonly present?: (agent: Agent) => boolean
  readonly grants?: Grants
}

const LONGEST_SUMMARY = 200

/** Exactly what will happen, in one line; the whole of it is in the detail. */
const summaryOf = ({ name, arguments: args }: Execution): string => {
  const line = `${name} ${JSON.stringify(args)}`
  return line.length <= LONGEST_SUMMARY ? line : `${line.slice(0, LONGEST_SUMMARY - 1)}…`
}

type Folded = { readonly length: number; readonly state: SessionGrants }

/** Advanced from where it was, never folded anew. */
const createSessionGrants = (): ((session: Session) => SessionGrants) => {
  const folded = new WeakMap<Session, Folded>()
  return (session) => {
    const { events } = session
    let { length, state } = folded.get(session) ?? { length: 0, state: grantsOf.initial }
    for (; length < events.length; length++) state = grantsOf.apply(state, events[length]!)
    folded.set(session, { length, state })
    return state
  }
}

const asPreExecute = (decision: Decision): PreExecute =>
  decision.kind === 'allow'
    ? { kind: 'allow' }
    : { kind: 'deny', reason: decision.note ? `the person said no: ${decision.note}` : 'the person said no' }

const STOPPED: Decision = { kind: 'deny', reach: 'once', note: 'stopped' }

const askPerson = async (scope: Scope, session: Session, execution: Execution): Promise<Decision> => {
  const { callId, name, arguments: args, signal } = execution
  if (eventOfCall(session, 'approval/asked', callId) === undefined) {
    session.append('approval/asked', { callId, action: { tool: name, summary: summaryOf(execution), detail: args } })
  }
  try {
    return (await awaitEvent(scope, session, 'approval/decided', callId, signal)).data.decision
  } catch {
    session.append('approval/decided', { callId, decision: STOPPED }) // a stop denies what is pending
    return STOPPED
  }
}

export const approvals: Plugin<ApprovalsConfig> = (scope, { asks, present = () => true, grants }) => {
  const inSession = createSessionGrants()
  scope.on(
    'tools/pre-execute',
    async (execution, next) => {
      const inner = await next()
      if (inner.kind === 'deny') return inner
      if (inner.kind === 'allow' && !(await asks(execution))) return inner
      const { agent, name } = execution
      if (agent === undefined || !present(agent))
        return { kind: 'deny', reason: 'it needs the approval of a person, and nobody is there to give it' }
      const { session } = agent
      const decided = eventOfCall(session, 'approval/decided', execution.callId)
      if (decided !== undefined) return asPreExecute(decided.data.decision)
      if (inSession(session).tools.has(name) || (await grants?.has(name))) return { kind: 'allow' }
      const decision = await askPerson(scope, session, execution)
      if (decision.kind === 'allow' && decision.reach === 'always') await grants?.add(name)
      return asPreExecute(decision)
    },
    { prepend: true },
  )
}
