// The port of what runs a model in this tab: weights go in, answers come out in the form of OpenAI chat, which such engines speak.

/** In the order that the model's makers gave the parts. */
export type WeightFile = { readonly name: string; readonly blob: Blob }

/** `contextWindow`: tokens to make room for; an engine may have less. */
export type LoadSettings = { readonly contextWindow: number }

export type AnswerListener = {
  /** One event of OpenAI chat, as JSON. An error that concerns the request comes as an event too: `{"error":{…}}`. */
  event(json: string): void
  /** How much of the conversation is read, from 0 to 1: on a slow machine that takes longer than answering. */
  reading?(part: number): void
}

export interface LoadedModel {
  /** Tokens. */
  readonly contextWindow: number
  /** False when it has died or was unloaded: load it anew. */
  readonly isAlive: boolean
  /**
   * One at a time. `body`: a request of OpenAI chat. Resolves when the answer is over. Errors: `worker/dead` when the engine died;
   * the signal's reason when it was aborted: the engine then works no more, or was ended.
   */
  answer(body: object, on: AnswerListener, signal: AbortSignal): Promise<void>
  /** Frees its memory at once; an answer under way fails. */
  unload(): void
}

export interface LocalEngine {
  /** Fetches all of its code, so that it loads without a network from then on. Errors: `worker/start`. */
  warm(): Promise<void>
  /** Errors: `worker/start` when the engine cannot run here; `model/failed` when it cannot run these weights; the signal's reason. */
  load(files: readonly WeightFile[], settings: LoadSettings, signal: AbortSignal): Promise<LoadedModel>
}
