// What a person is told when a provider is gone, in this tab or in another: nothing is chosen in its place by itself.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { ModelChoice, ProviderView } from './agent-client.ts'

export const PROVIDER_REMOVED = 'its provider was removed'

export const CHOOSE_ANOTHER =
  'The provider of this model was removed. Choose another model below what you write, or add the provider again in the settings.'

/** `session`: the options of the one on the screen. `began` and `begins`: what new sessions started with before, and start with now. */
type Seen = {
  readonly gone: readonly ProviderView[]
  readonly session: AgentOptions | undefined
  readonly began: AgentOptions
  readonly begins: ModelChoice | undefined
}

/** Undefined when nobody has to know. */
export const sayRemoved = ({ gone, session, began, begins }: Seen): string | undefined => {
  const ofSession = gone.find(({ id }) => id === session?.provider)
  const ofNew = gone.find(({ id }) => id === began.provider)
  const { label } = ofSession ?? ofNew ?? {}
  if (label === undefined) return undefined
  return [
    `“${label}” was removed.`,
    ...(ofSession === undefined ? [] : ['This session keeps its model, which cannot answer any more: choose another one to go on.']),
    ...(ofNew === undefined || begins === undefined ? [] : [`New sessions begin with “${begins.label}” now.`]),
  ].join(' ')
}
