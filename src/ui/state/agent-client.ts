// What the page needs of the client library; `connect` gives more than that, and tests give a scripted one.

import type { Client } from '../../worker/client/connect.ts'
import type { ClientSession } from '../../worker/client/session.ts'
import type { AgentHost } from '../../worker/protocol/agent-host.ts'

export type { Answer, Decision, Question } from '../../storage/log/events.ts'
export type { ModelFailureClass } from '../../storage/log/model-call.ts'
export type { ListedModel, ModelInfo } from '../../storage/log/model-info.ts'
export type { Pending, PendingApproval, PendingQuestion } from '../../storage/log/projections/pending.ts'
export type { SessionStatus, SessionSummary } from '../../storage/log/session-summary.ts'
export type { Waiting } from '../../storage/log/waiting.ts'
export type { SessionView } from '../../worker/client/session-view.ts'
export type { StorageReport } from '../../worker/client/storage.ts'
export type { OptionChanges } from '../../worker/protocol/agent-host.ts'
export type { LiveState } from '../../worker/protocol/frames.ts'
export type { LocalModelSource, LocalModelView } from '../../worker/protocol/local-models.ts'
export type {
  LocalSearch,
  LocalServer,
  ModelChoice,
  ModelOffer,
  ModelProbe,
  ProviderApi,
  ProviderDraft,
  ProviderFailure,
  ProviderView,
} from '../../worker/protocol/providers.ts'
export type { FileView, SessionListed } from '../../worker/protocol/views.ts'

export type AgentSession = Omit<ClientSession, 'events'>
export type Health = Client['health']['state']

export interface AgentClient {
  readonly host: Pick<AgentHost, 'models' | 'local' | 'files'> & {
    readonly sessions: Pick<AgentHost['sessions'], 'configure'>
    readonly people: Pick<AgentHost['people'], 'asked' | 'ask'>
  }
  readonly sessions: {
    create(input?: { readonly title?: string }): Promise<AgentSession>
    open(id: string): Promise<AgentSession>
    list: Client['sessions']['list']
    rename: Client['sessions']['rename']
    remove: Client['sessions']['remove']
    fork: Client['sessions']['fork']
    export: Client['sessions']['export']
    exportAll: Client['sessions']['exportAll']
    import: Client['sessions']['import']
  }
  readonly news: Client['news']
  readonly tabs: Pick<Client['tabs'], 'takeOver'>
  readonly storage: Client['storage']
  readonly health: Client['health']
  close(): void
}
