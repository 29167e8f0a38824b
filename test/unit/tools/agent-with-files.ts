// The built-in tools over memory storage, the real JavaScript engine and the real shell, and calls made in the name of a session.
import type { FileStore } from '../../../src/storage/file-store.ts'
import type { Json } from '../../../src/storage/log/content.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { createWorkspaces } from '../../../src/worker/capabilities/files/workspace.ts'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import type { ToolOutcome } from '../../../src/worker/hooks/tool.ts'
import { bash } from '../../../src/worker/tools/bash.ts'
import { listFiles } from '../../../src/worker/tools/list-files.ts'
import { readFile } from '../../../src/worker/tools/read-file.ts'
import type { ToolRegistryOptions } from '../../../src/worker/tools/registry.ts'
import { runJs } from '../../../src/worker/tools/run-js.ts'
import { writeFile } from '../../../src/worker/tools/write-file.ts'
import { createTools } from './bare-call.ts'
import { inProcessSandbox } from './in-process-sandbox.ts'
import { inProcessShell } from './in-process-shell.ts'

export const builtInTools = (files: FileStore) => {
  const { workspaceFor } = createWorkspaces({ files, now: () => 1_000 })
  return [
    bash({ shell: inProcessShell(), workspaceFor }),
    runJs({ sandbox: inProcessSandbox(), workspaceFor }),
    readFile({ workspaceFor }),
    writeFile({ workspaceFor }),
    listFiles({ workspaceFor }),
  ]
}

/** A session is all that the tools look at. */
const agentOf = (id: string, cwd?: string): Agent =>
  ({ session: { id, header: { version: 1, id, createdAt: 0, ...(cwd === undefined ? {} : { cwd }) } } }) as Agent

export const createAgentWithFiles = (options: Omit<ToolRegistryOptions, 'bus'> = {}) => {
  const { files } = openMemoryStorage()
  const { bus, registry } = createTools(options)
  for (const tool of builtInTools(files)) registry.register(tool)
  const callAs =
    (sessionId: string, cwd?: string) =>
    (name: string, args: Json, signal = new AbortController().signal): Promise<ToolOutcome> =>
      registry.execute({ callId: 'call-1', name, arguments: args, agent: agentOf(sessionId, cwd), signal })
  return { files, bus, registry, call: callAs('session-1'), callAs }
}

/** What the person does beside the agent. */
export const personWrites = async (files: FileStore, path: string, text: string): Promise<void> => {
  await files.write('session-1', path, new TextEncoder().encode(text), { modifiedAt: 2_000 })
}
