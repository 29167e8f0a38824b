// What the families of models behind the Anthropic wire take, with what they answer otherwise.

export type AnthropicDialect = {
  /**
   * How thinking is asked for. `adaptive`: by effort, from Claude 4.6 on ("thinking.type.enabled is not supported" from 4.7 on);
   * `budget`: by a number of tokens, from Claude 3.7 on and by the servers of other vendors; `none`: it cannot be.
   */
  readonly thinking: 'adaptive' | 'budget' | 'none'
  /** Claude 5 and later think without being asked. */
  readonly thinksUnasked: boolean
  /** Claude 4.7 and later answer 400 to a temperature. */
  readonly temperature: boolean
  /** Claude 4.6 and later: "This model does not support assistant message prefill". */
  readonly prefill: boolean
  /** Claude refuses thinking without its signature; other vendors' models sign nothing and want it back inside a tool loop. */
  readonly unsigned: boolean
  /** Only Anthropic has prices for its marks of what is cached; others ignore or refuse them. */
  readonly cacheMarks: boolean
}

/** `claude-sonnet-4-5-20250929` is 405, `claude-3-7-sonnet` 307, a Claude without a number newer than all; `undefined`: no Claude. */
const claudeVersion = (model: string): number | undefined => {
  if (!/claude/i.test(model)) return undefined
  const [, major, minor] = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/i.exec(model) ?? []
  return major === undefined ? Number.POSITIVE_INFINITY : Number(major) * 100 + Number(minor ?? 0)
}

export const anthropicDialect = (model: string): AnthropicDialect => {
  const version = claudeVersion(model)
  if (version === undefined) {
    return { thinking: 'budget', thinksUnasked: false, temperature: true, prefill: true, unsigned: true, cacheMarks: false }
  }
  return {
    thinking: version >= 406 ? 'adaptive' : version >= 307 ? 'budget' : 'none',
    thinksUnasked: version >= 500,
    temperature: version < 407,
    prefill: version < 406,
    unsigned: false,
    cacheMarks: true,
  }
}
