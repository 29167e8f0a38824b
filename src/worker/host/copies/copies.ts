// Copies of sessions: forks, files, and what comes out of files. Loaded apart from the core, with the first such command.
import type { AgentHost } from '../../protocol/agent-host.ts'
import { type ExportParts, exportAll, exportSession } from './export.ts'
import { type ForkParts, forkSession } from './fork.ts'
import { type ImportParts, importFile } from './import.ts'

export type Copies = Pick<AgentHost['sessions'], 'fork' | 'export' | 'exportAll' | 'import'>

type CopiesParts = ForkParts & ExportParts & ImportParts & { readonly onListed: () => void }

export const createCopies = (parts: CopiesParts): Copies => {
  /** The list of sessions is another one then. */
  const listed = async <T>(made: Promise<T>): Promise<T> => {
    const value = await made
    parts.onListed()
    return value
  }
  return {
    fork: (input) => listed(forkSession(parts, input)),
    export: (input) => exportSession(parts, input),
    exportAll: () => exportAll(parts),
    import: (input) => listed(importFile(parts, input)),
  }
}
