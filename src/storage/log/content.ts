// Content blocks and messages: what people, models and tools say to each other. Plain JSON, frozen once logged.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }
export type JsonSchema = JsonObject

/** Ids are URL-safe strings of 21 to 36 characters, made by the injected `newId()`. */
export type SessionId = string
export type AgentId = string
export type CallId = string
export type MessageId = string
/** `sha256-` and the 64 hex digits of the SHA-256 of the bytes. */
export type BlobId = string

export type TextBlock = { readonly type: 'text'; readonly text: string }
/** `replay`: the vendor's own data (a signature, encrypted or redacted content), kept as it came and shown only to that vendor. */
export type ReasoningBlock = { readonly type: 'reasoning'; readonly text: string; readonly replay?: Json }
/** A reference into the blob store; bytes are never in the log. */
export type ImageBlock = { readonly type: 'image'; readonly blob: BlobId; readonly mediaType: string; readonly name?: string }
/** `arguments` is the raw text as the model wrote it; `vendorId` is the vendor's id if ours had to differ. */
export type ToolCallBlock = {
  readonly type: 'tool-call'
  readonly id: CallId
  readonly name: string
  readonly arguments: string
  readonly vendorId?: string
}
export type ToolResultBlock = {
  readonly type: 'tool-result'
  readonly toolCallId: CallId
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
}
export type ContentBlock = TextBlock | ReasoningBlock | ImageBlock | ToolCallBlock | ToolResultBlock

/** Who caused a message. */
export type Source =
  | { readonly kind: 'user' }
  | { readonly kind: 'plugin'; readonly plugin: string }
  | { readonly kind: 'agent'; readonly agent: AgentId }

/** `replayState` is the adapter's own JSON; absent unless there is some, and dropped when a listener changed the content. */
export type Provenance = { readonly provider: string; readonly model: string; readonly replayState?: Json }
export type UserMessage = { readonly role: 'user'; readonly content: readonly ContentBlock[] }
export type AssistantMessage = { readonly role: 'assistant'; readonly content: readonly ContentBlock[]; readonly provenance: Provenance }
export type Message = UserMessage | AssistantMessage
