// Builds the request of one model call: the frozen configuration, the logged header, the messages as they were derived.
import type { Message, SessionId } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { RequestHeader } from '../../storage/log/events.ts'
import { freezeJson, jsonEqual } from '../../storage/log/lossless-json.ts'
import type { CallConfig, ToolSchema } from '../../storage/log/model-call.ts'
import type { LlmRequest } from '../hooks/llm.ts'
import type { Driver, Turn } from './driver.ts'
import { throwIfStopped } from './stop.ts'

/** What stays the same over the attempts of one step. Frozen. */
export type StepPrompt = { readonly system: string; readonly tools: readonly ToolSchema[]; readonly prefix: readonly Message[] }

const withoutUndefined = (config: CallConfig): CallConfig =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)) as CallConfig

const requestConfig = async ({ agent, bus }: Driver, turn: Turn): Promise<CallConfig> => {
  const seed = agent.options as CallConfig // provider and model may still be missing: a listener may bring them
  const chosen = await bus.waterfall('agent/request', agent, turn.number, turn.step, seed, async () => seed)
  const config = chosen === seed ? seed : freezeJson(withoutUndefined(chosen))
  if (!config.provider || !config.model) {
    const missing = config.provider ? 'model' : config.model ? 'provider' : 'provider and model'
    throw new SideloopError('command/invalid', `No ${missing} is set: give it in the agent's options, or return it from agent/request`)
  }
  return config
}

const headerOf = (config: CallConfig, { system, tools, prefix }: StepPrompt): RequestHeader => ({
  config,
  ...(system === '' ? {} : { system }),
  ...(tools.length === 0 ? {} : { tools }),
  ...(prefix.length === 0 ? {} : { messagePrefix: prefix }),
})

/**
 * `initial` for a log's first header, `resume` for a driver's first on a log that has one, later `change` only if it differs.
 * Gives the header as it is in the log, down to the order of its keys.
 */
const logHeader = (driver: Driver, header: RequestHeader): RequestHeader => {
  const last = driver.log.requestHeader()
  if (driver.headerLogged && last !== undefined && jsonEqual(last, header)) return last
  const reason = last === undefined ? 'initial' : driver.headerLogged ? 'change' : 'resume'
  const event = driver.log.append('request/header', { header, reason })
  driver.headerLogged = true
  return event.data.header
}

/**
 * The same header and messages always give the same JSON, so every request can be rebuilt from the log alone. `sessionId` and `signal`
 * are there for adapters, but not enumerable: they are no part of that JSON.
 */
export const requestOf = (header: RequestHeader, derived: readonly Message[], session: SessionId, signal?: AbortSignal): LlmRequest => {
  const { config, system, tools, messagePrefix } = header
  const messages = messagePrefix === undefined ? derived : Object.freeze([...messagePrefix, ...derived])
  const request = { ...config, messages, ...(system === undefined ? {} : { system }), ...(tools === undefined ? {} : { tools }) }
  Object.defineProperty(request, 'sessionId', { value: session })
  if (signal !== undefined) Object.defineProperty(request, 'signal', { value: signal })
  return Object.freeze(request)
}

export const buildRequest = async (driver: Driver, turn: Turn, prompt: StepPrompt, derived: readonly Message[]): Promise<LlmRequest> => {
  const config = await requestConfig(driver, turn)
  throwIfStopped(turn.signal) // nothing is logged any more once the turn gave up on a slow listener
  const header = logHeader(driver, headerOf(config, prompt))
  return requestOf(header, derived, driver.agent.session.id, turn.signal)
}
