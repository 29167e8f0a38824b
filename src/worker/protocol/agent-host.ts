// What the worker offers the page: every method takes one plain object and gives a promise of plain data.

import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { CallId, ContentBlock, MessageId, SessionId } from '../../storage/log/content.ts'
import type { PackedEvent } from '../../storage/log/delta-runs.ts'
import type { Answer, Decision, SessionEvent, SessionEventData, TaskKind } from '../../storage/log/events.ts'
import type { LocalModelSource, LocalModelView } from './local-models.ts'
import type { LocalSearch, ModelChoice, ModelOffer, ModelProbe, ProviderDraft, ProviderView } from './providers.ts'
import type { FileView, SessionListed } from './views.ts'

type OfSession = { readonly sessionId: SessionId }
type OfCall = OfSession & { readonly callId: CallId }
type OfMessage = OfSession & { readonly messageId: MessageId }
type Attempt = { readonly attempt?: string }
/** `attempt`: a name to stop it by. `progress`: how far it is goes out here, as numbers from 0 to 1, until it has ended. */
export type CopyUnderWay = Attempt & { readonly progress?: MessagePort }
/** `null`: the model's own default again. */
export type OptionChanges = { readonly [K in keyof AgentOptions]?: AgentOptions[K] | null }

/** Default: of the kind `task`, at most 100 steps, no budget. `budget`: tokens of all calls, US dollars, milliseconds. */
export type TaskOrder = {
  readonly kind?: TaskKind
  readonly maxSteps?: number
  readonly budget?: { readonly tokens?: number; readonly cost?: number; readonly ms?: number }
}

/** `name`: what to call it when it is saved. */
export type SessionsFile = { readonly name: string; readonly file: Blob }
export type SkippedSession = { readonly sessionId: SessionId; readonly title: string; readonly message: string }
/** `sessionId` is a new one when the file's was taken. */
export type ImportedSession = { readonly sessionId: SessionId; readonly title: string }

export interface AgentHost {
  readonly sessions: {
    create(input: { readonly title?: string; readonly options?: AgentOptions }): Promise<{ readonly sessionId: SessionId }>
    /** Newest first. */
    list(input: { readonly query?: string; readonly limit?: number }): Promise<readonly SessionListed[]>
    rename(input: OfSession & { readonly title: string }): Promise<void>
    /** Stops it, then removes the session with its files. */
    remove(input: OfSession): Promise<void>
    /** Stores now what could not be stored: for after room was made. Errors: the `storage/*` codes. */
    save(input: OfSession): Promise<void>
    /** Provider, model and limits from the next model call on. */
    configure(input: OfSession & { readonly options: OptionChanges }): Promise<void>
    /**
     * A new session with the events before that seq, and the files as they were there. At the end of a turn, or right before a message;
     * inside a turn, what is open is closed as interrupted. The session goes on meanwhile. Errors: `command/invalid` for a seq that is
     * not stored yet.
     */
    fork(input: OfSession & { readonly beforeSeq: number }): Promise<{ readonly sessionId: SessionId }>
    /** A `.jsonl`, or a `.sideloop.zip` when there are files or pictures. See docs/session-file.md. */
    export(input: OfSession & CopyUnderWay): Promise<SessionsFile>
    /** Every session, without settings and keys. `skipped`: those that could not be read. */
    exportAll(input: CopyUnderWay): Promise<SessionsFile & { readonly skipped: readonly SkippedSession[] }>
    /** All sessions of a file that was exported, or none. Errors: `import/refused`, with what is wrong where; the `storage/*` codes. */
    import(input: CopyUnderWay & { readonly file: Blob }): Promise<{ readonly sessions: readonly ImportedSession[] }>
    /**
     * Ends an export or an import that was begun under this name: it is refused with `command/invalid`, and nothing of it is kept. Nothing
     * is wrong when it has ended already.
     */
    stop(input: { readonly attempt: string }): Promise<void>
  }
  /** `send` and `steer` resolve when the message is on disk. `messageId` makes them harmless to repeat. */
  readonly drive: {
    send(input: OfMessage & { readonly content: readonly ContentBlock[] }): Promise<void>
    steer(input: OfMessage & { readonly content: readonly ContentBlock[] }): Promise<void>
    cancel(input: OfSession & { readonly reason?: string; readonly queue?: 'clear' | 'hold' }): Promise<void>
    continue(input: OfSession): Promise<void>
    /**
     * Starts a task run, and resolves when its prompt is on disk; its end is an event. `messageId` makes it harmless to repeat.
     * Errors: `command/invalid` while the agent is at work.
     */
    run(input: OfMessage & { readonly content: readonly ContentBlock[]; readonly task: TaskOrder }): Promise<void>
    /** Sums up the older part of the conversation. Resolves with how it ended; `cancel` stops it. */
    compact(input: OfSession): Promise<SessionEventData['compaction/end']>
  }
  readonly queue: {
    edit(input: OfMessage & { readonly content: readonly ContentBlock[] }): Promise<void>
    remove(input: OfMessage): Promise<void>
    move(input: OfMessage & { readonly before: MessageId | null }): Promise<void>
    retarget(input: OfMessage & { readonly target: 'turn' | 'step' }): Promise<void>
    release(input: OfSession): Promise<void>
  }
  /** Each resolves when the answer is on disk. Errors: `command/invalid` when nothing waits for it any more. */
  readonly people: {
    /** `null`: dismissed. */
    answer(input: OfCall & { readonly answers: readonly Answer[] | null }): Promise<void>
    decide(input: OfCall & { readonly decision: Decision }): Promise<void>
    /** The tools that are put before the person before they run, for every session. */
    asked(input: object): Promise<readonly string[]>
    ask(input: { readonly tools: readonly string[] }): Promise<void>
  }
  readonly log: {
    /** `after`: −1 for all. */
    read(input: OfSession & { readonly after: number; readonly limit?: number }): Promise<readonly SessionEvent[]>
    /** The same, packed: large parts cross to the page in a fraction of the time. */
    packed(input: OfSession & { readonly after: number; readonly limit?: number }): Promise<readonly PackedEvent[]>
    /**
     * The newest part as it is stored, packed: from the start of a turn on, in a very long turn from that of a step, so that at least
     * half of `events` (default 2,000) are in it. Nothing when the session is not twice as long, or unknown.
     */
    newest(input: OfSession & { readonly events?: number }): Promise<{ readonly from: number; readonly events: readonly PackedEvent[] }>
    /** Frames go out on `port` until it is closed; see `frames.ts`. */
    watch(input: OfSession & { readonly after: number; readonly port: MessagePort }): Promise<void>
  }
  /** Which tab drives a session (S9). */
  readonly tabs: {
    driver(input: OfSession): Promise<{ readonly kind: 'here' | 'elsewhere' | 'nobody' }>
    /**
     * Has this tab drive it: the driver is asked to store and stop, and after a short wait it is driven from what is stored.
     * A turn that was running is left as interrupted. Errors: `session/busy` when a third tab was faster, those of opening.
     */
    takeOver(input: OfSession): Promise<void>
  }
  readonly models: {
    /** Every model that can be chosen now, the built-in demo first. */
    list(input: object): Promise<readonly ModelChoice[]>
    providers(input: object): Promise<readonly ProviderView[]>
    /** Adds or replaces a provider. The key goes to the encrypted store and never comes back. */
    save(input: { readonly provider: ProviderDraft }): Promise<void>
    remove(input: { readonly providerId: string }): Promise<void>
    /** One small request with these settings; a failure is an answer, not an error. `attempt`: a name to stop it by. */
    test(input: Attempt & { readonly provider: ProviderDraft }): Promise<ModelProbe>
    /** The endpoint's own list of models, where it offers one: those that chat, as far as it tells. */
    discover(input: Attempt & { readonly provider: ProviderDraft }): Promise<ModelOffer>
    /** Asks this computer's usual ports for a model server. The only request to them that nobody named. */
    findLocal(input: Attempt): Promise<LocalSearch>
    /** Ends what was begun under this name. Nothing is wrong when it has ended already. */
    stop(input: { readonly attempt: string }): Promise<void>
    /** What new sessions start with. */
    choose(input: { readonly options: AgentOptions }): Promise<void>
    chosen(input: object): Promise<AgentOptions>
  }
  /** Models that run in this tab; that something about them changed is news of `local-models`. `command/invalid` without an engine. */
  readonly local: {
    /** None without an engine. */
    list(input: object): Promise<readonly LocalModelView[]>
    /** An address is downloaded with `download` or with the first message; a file is copied now. Errors: `command/invalid`, `storage/*`. */
    add(input: { readonly source: LocalModelSource; readonly label?: string }): Promise<{ readonly id: string }>
    /** Resolves when all is here, or when it was stopped. Errors: `model/failed` with what to do, `storage/*`; what came is kept. */
    download(input: { readonly id: string }): Promise<void>
    /** Ends a download; what came is kept. Nothing is wrong when there is none. */
    stop(input: { readonly id: string }): Promise<void>
    /** Frees its room; one that was added is forgotten. */
    remove(input: { readonly id: string }): Promise<void>
  }
  /** What workers lack and the page has (H9). */
  readonly bridges: {
    /** The page's built-in model answers on `port` from now on; see `built-in-model.ts`. It is then among those to choose from. */
    promptApi(input: { readonly port: MessagePort }): Promise<void>
  }
  readonly news: {
    /** What changed is told on this port from now on, in the place of an earlier one; see `news.ts`. */
    listen(input: { readonly port: MessagePort }): Promise<void>
  }
  readonly files: {
    list(input: OfSession & { readonly folder?: string }): Promise<readonly FileView[]>
    /** UTF-8 text; `command/invalid` when the file is missing or is not text. */
    read(input: OfSession & { readonly path: string }): Promise<{ readonly path: string; readonly text: string; readonly version: number }>
  }
  readonly health: {
    /** `lifeline`: a Web Lock that this worker holds as long as it lives; absent where there are no locks. */
    ping(input: object): Promise<{ readonly protocol: number; readonly version: string; readonly lifeline?: string }>
  }
}
