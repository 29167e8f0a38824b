// What comes before a step opens: the prompt is assembled and rendered, the prefix is asked for once, and `agent/pre-step` has its say.
import type { Message } from '../../storage/log/content.ts'
import { freezeJson } from '../../storage/log/lossless-json.ts'
import { renderPrompt } from '../prompt/render-prompt.ts'
import type { StepPrompt } from './build-request.ts'
import type { Driver, Turn } from './driver.ts'
import { throwIfStopped } from './stop.ts'

/** Goes on behind a turn that gave up waiting for it; so it changes nothing once the turn is stopped. */
export const preparePrompt = async (driver: Driver, turn: Turn): Promise<StepPrompt> => {
  const { agent, bus, prompt } = driver
  const assembly = await prompt.assemble({ agent })
  throwIfStopped(turn.signal)
  const system = renderPrompt(assembly)
  const tools = freezeJson(assembly.tools, 'tools')
  const prefix = driver.prefix ?? (await askForPrefix(driver, turn))
  throwIfStopped(turn.signal)
  driver.prefix = prefix
  await bus.serial('agent/pre-step', agent, turn.number, turn.step, system, prefix, turn.signal)
  return { system, tools, prefix }
}

const askForPrefix = async ({ agent, bus }: Driver, turn: Turn): Promise<readonly Message[]> => {
  const none: readonly Message[] = Object.freeze([])
  return freezeJson(await bus.waterfall('agent/session-prefix', agent, none, turn.signal, async () => none), 'prefix')
}
