// Which tools the person wants to be asked about before they run, in every session.
import type { ReadonlySignal } from '@preact/signals'
import { signal } from '@preact/signals'
import type { AgentClient } from './agent-client.ts'
import type { Notices } from './notices.ts'
import { sayFailure } from './say-failure.ts'

export type Permissions = {
  /** Undefined while it is not known. */
  readonly asked: ReadonlySignal<readonly string[] | undefined>
  load(): Promise<void>
  ask(tool: string, first: 'ask' | 'let'): Promise<void>
}

/** The default tools that do something, in plain words. Others may be asked about too; they keep their place in the list. */
export const ASKABLE: readonly { readonly tool: string; readonly label: string; readonly detail: string }[] = [
  { tool: 'bash', label: 'Running commands', detail: 'On the files of the session, without the network. You see the command first.' },
  { tool: 'run_js', label: 'Running JavaScript', detail: 'In its sandbox, without the network. You see the code first.' },
  { tool: 'write_file', label: 'Writing files', detail: 'New ones and over old ones. You see the content first.' },
]

export const createPermissions = (client: AgentClient, notices: Notices): Permissions => {
  const { people } = client.host
  const asked = signal<readonly string[] | undefined>(undefined)
  const load = async (): Promise<void> => {
    try {
      asked.value = await people.asked({})
    } catch (error) {
      notices.show({ kind: 'error', text: `What you are asked about could not be read. ${sayFailure(error)}` })
    }
  }
  return {
    asked,
    load,
    async ask(tool, first) {
      const others = (asked.value ?? []).filter((name) => name !== tool)
      const tools = first === 'ask' ? [...others, tool] : others
      asked.value = tools
      try {
        await people.ask({ tools })
      } catch (error) {
        notices.show({ kind: 'error', text: `Not changed. ${sayFailure(error)}` })
        await load()
      }
    },
  }
}
