// The system prompt's parts: named sections in order, and variables. Plugins add to both; the assemble waterfall has the last word.
import { SideloopError } from '../../storage/log/errors.ts'
import type { ToolSchema } from '../../storage/log/model-call.ts'
import type { Disposer } from '../hooks/agent.ts'
import type { HookBus } from '../hooks/hook-bus.ts'
import type { PromptAssembly, PromptContext } from '../hooks/hooks.ts'

export type Section = {
  readonly name: string
  /** Identity −100, persona 0, tool guidance 100 to 199. */
  readonly order: number
  readonly text: string | ((context: PromptContext) => string)
}
type Variable = (context: PromptContext) => string | undefined

export interface SystemPrompt {
  section(section: Section): Disposer
  variable(name: string, value: Variable): Disposer
  assemble(context: PromptContext): Promise<PromptAssembly>
}

const addOnce = <T>(map: Map<string, T>, what: string, name: string, value: T): Disposer => {
  if (map.has(name)) throw new SideloopError('command/invalid', `The prompt has a ${what} named "${name}" already`)
  map.set(name, value)
  return () => {
    if (map.get(name) === value) map.delete(name)
  }
}

const textOf = ({ name, text }: Section, context: PromptContext): string => {
  const given: unknown = typeof text === 'function' ? text(context) : text
  if (typeof given !== 'string') throw new SideloopError('command/invalid', `The prompt section "${name}" gave no text`)
  return given
}

/** The loop's own variables; a registered one of the same name wins. */
const builtIn = ({ agent }: PromptContext): Record<string, string | undefined> => ({
  provider: agent?.options.provider,
  model: agent?.options.model,
  cwd: agent?.session.header.cwd,
})

export const createSystemPrompt = (bus: HookBus, tools: () => readonly ToolSchema[]): SystemPrompt => {
  const sections = new Map<string, Section>()
  const variables = new Map<string, Variable>()

  return {
    section: (section) => addOnce(sections, 'section', section.name, section),
    variable: (name, value) => addOnce(variables, 'variable', name, value),
    async assemble(context) {
      const assembly: PromptAssembly = {
        sections: [...sections.values()]
          .sort((a, b) => a.order - b.order)
          .map((section) => ({ name: section.name, text: textOf(section, context) })),
        tools: [...tools()],
        variables: builtIn(context),
      }
      for (const [name, value] of variables) assembly.variables[name] = value(context)
      return bus.waterfall('system-prompt/assemble', assembly, context, async () => assembly)
    },
  }
}
