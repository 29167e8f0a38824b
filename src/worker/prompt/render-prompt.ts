// Fills the variables of an assembled prompt and joins its sections to the system text.
import { SideloopError } from '../../storage/log/errors.ts'
import type { PromptAssembly } from '../hooks/hooks.ts'

const VARIABLE = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g

/**
 * Sections joined by a blank line; empty ones vanish. Values are not scanned again, and a lone `{{` is literal.
 * Errors: `command/invalid` when a variable has no value, with its name.
 */
export const renderPrompt = (assembly: PromptAssembly): string =>
  assembly.sections
    .map(({ text }) =>
      text
        .replace(VARIABLE, (_, name: string) => {
          const value = Object.hasOwn(assembly.variables, name) ? assembly.variables[name] : undefined
          if (value === undefined) {
            throw new SideloopError(
              'command/invalid',
              `The prompt variable {{${name}}} has no value for this assembly: register it with systemPrompt.variable, or give it in system-prompt/assemble`,
            )
          }
          return value
        })
        .trim(),
    )
    .filter((text) => text !== '')
    .join('\n\n')
