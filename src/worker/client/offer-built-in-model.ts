// Lets the agent use the browser's built-in model: the page answers for it, for every worker that this client starts.
import type { AgentHost } from '../protocol/agent-host.ts'
import type { Client } from './connect.ts'
import { type LanguageModelApi, type PromptApiPageOptions, servePromptApi } from './prompt-api.ts'

/**
 * `offerBuiltInModel(client, findLanguageModel(globalThis))`: it is then among the models to choose from. Gives a function that takes
 * it back; `undefined` where the browser has no such model.
 */
export const offerBuiltInModel = async (
  client: { readonly host: Pick<AgentHost, 'bridges'>; readonly health: Client['health'] },
  api: LanguageModelApi | undefined,
  options: PromptApiPageOptions = {},
): Promise<(() => void) | undefined> => {
  if (api === undefined) return undefined
  let stop = (): void => {}
  const offer = async () => {
    stop()
    const { port1, port2 } = new MessageChannel()
    stop = servePromptApi(port1, api, options)
    await client.host.bridges.promptApi({ port: port2 })
  }
  await offer()
  const forget = client.health.subscribe(({ kind }) => {
    // The port went with the worker that died.
    if (kind === 'ready') offer().catch(() => {}) // a worker that dies again is told by `health`
  })
  return () => {
    forget()
    stop()
  }
}
