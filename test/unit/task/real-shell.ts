// A task run with the real bash tool beside the file tools, and its files.
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { createWorkspaces } from '../../../src/worker/capabilities/files/workspace.ts'
import { bash } from '../../../src/worker/tools/bash.ts'
import { readFile } from '../../../src/worker/tools/read-file.ts'
import { writeFile } from '../../../src/worker/tools/write-file.ts'
import type { Reply } from '../../kit/replies.ts'
import { inProcessShell } from '../tools/in-process-shell.ts'
import { results, type SetupOptions, taskSetup, wordsIn } from './kit.ts'

export const shellSetup = (replies: readonly Reply[], { tools = [], ...options }: SetupOptions = {}) => {
  const { files } = openMemoryStorage()
  const { workspaceFor } = createWorkspaces({ files, now: () => 1_000 })
  const made = taskSetup(replies, {
    ...options,
    tools: [bash({ shell: inProcessShell(), workspaceFor }), readFile({ workspaceFor }), writeFile({ workspaceFor }), ...tools],
  })
  const scope = made.agent.session.id
  return {
    ...made,
    /** What the person has there before. */
    put: async (path: string, text: string): Promise<void> => {
      await files.write(scope, path, new TextEncoder().encode(text), { modifiedAt: 1 })
    },
    /** Every file, byte for byte, with its version. */
    snapshot: async (): Promise<Readonly<Record<string, string>>> => {
      const entries = await files.list(scope, '/')
      const read = async (path: string): Promise<readonly [string, string]> => {
        const file = await files.read(scope, path)
        return [path, `${file?.entry.version} ${new TextDecoder().decode(file?.bytes)}`]
      }
      return Object.fromEntries(await Promise.all(entries.map(({ path }) => read(path))))
    },
    /** What the calls came to, in order. */
    answers: () => results(made.agent.session.events).map(({ data }) => ({ ...data, text: wordsIn(data.content) })),
  }
}
