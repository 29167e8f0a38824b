// A whole agent over the demo model: the real loop, the real tools, memory storage, the real JavaScript engine.
import type { FileStore } from '../../../src/storage/file-store.ts'
import type { ToolResultBlock } from '../../../src/storage/log/content.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { demoModel } from '../../../src/worker/llm/adapters/demo.ts'
import { createRuntime } from '../../../src/worker/runtime.ts'
import { builtInTools } from '../tools/agent-with-files.ts'

export type DemoAgentOptions = { readonly files?: FileStore; readonly without?: readonly string[]; readonly delayMs?: number }

export const startDemoAgent = ({ files = openMemoryStorage().files, without = [], delayMs = 0 }: DemoAgentOptions = {}) => {
  let count = 0
  const runtime = createRuntime({ newId: () => `id-${count++}`, now: () => 1_000 })
  runtime.llm.registerAdapter(['demo'], demoModel({ delayMs }))
  for (const tool of builtInTools(files)) if (!without.includes(tool.name)) runtime.tools.register(tool)
  const agent = runtime.agents.start('demo', { provider: 'demo', model: 'demo-rules' })

  const ask = async (prompt: string): Promise<string> => {
    agent.send(prompt)
    await agent.whenIdle()
    return lastText()
  }
  const lastText = (): string => {
    const last = agent.session.deriveMessages().findLast(({ role }) => role === 'assistant')
    return (last?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  }
  /** Name of each call in order, `name!` when it failed. Calls of one step stand in one array. */
  const steps = (): readonly (readonly string[])[] => {
    const messages = agent.session.deriveMessages()
    const failed = new Set(
      messages
        .flatMap(({ content }) => content)
        .filter((block): block is ToolResultBlock => block.type === 'tool-result' && block.isError)
        .map(({ toolCallId }) => toolCallId),
    )
    return messages
      .map(({ content }) =>
        content.flatMap((block) => (block.type === 'tool-call' ? [`${block.name}${failed.has(block.id) ? '!' : ''}`] : [])),
      )
      .filter((names) => names.length > 0)
  }
  const fileText = async (path: string): Promise<string | undefined> => {
    const stored = await files.read(agent.session.id, path)
    return stored === undefined ? undefined : new TextDecoder().decode(stored.bytes)
  }
  return { runtime, agent, files, ask, lastText, steps, fileText }
}
