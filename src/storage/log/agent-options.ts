// An agent's options: which model answers, and with what limits.

/** `maxTokens` limits one reply; `temperature` and `effort` go to the model as they are. Absent: the model's own default. */
export type AgentOptions = {
  readonly provider?: string
  readonly model?: string
  readonly maxTokens?: number
  readonly temperature?: number
  readonly effort?: string
}
