// A registry on a real hook bus and the one call that most tests make.
import type { Json } from '../../../src/storage/log/content.ts'
import { createHookBus } from '../../../src/worker/hooks/hook-bus.ts'
import type { ToolOutcome } from '../../../src/worker/hooks/tool.ts'
import { createToolRegistry, type ToolRegistryOptions } from '../../../src/worker/tools/registry.ts'

export const createTools = (options: Omit<ToolRegistryOptions, 'bus'> = {}) => {
  const reported: unknown[] = []
  const bus = createHookBus((error) => reported.push(error))
  const registry = createToolRegistry({ bus, ...options })
  const call = (name: string, args: Json, signal: AbortSignal = new AbortController().signal): Promise<ToolOutcome> =>
    registry.execute({ callId: 'call-1', name, arguments: args, signal })
  return { bus, registry, call, reported }
}

export const textOf = (outcome: ToolOutcome): string =>
  outcome.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
