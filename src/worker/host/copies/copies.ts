// Copies of sessions: forks, files, and what comes out of files. Loaded apart from the core, with the first such command.
import type { AgentHost } from '../../protocol/agent-host.ts'
import { createAttempts } from '../models/attempts.ts'
import { type ExportParts, exportAll, exportSession } from './export.ts'
import { type ForkParts, forkSession } from './fork.ts'
import { type ImportParts, importFile } from './import.ts'
import { underWay } from './under-way.ts'

export type Copies = Pick<AgentHost['sessions'], 'fork' | 'export' | 'exportAll' | 'import' | 'stop'>

type CopiesParts = ForkParts & ExportParts & ImportParts & { readonly onListed: () => void }

export const createCopies = (parts: CopiesParts): Copies => {
  const attempts = createAttempts()
  /** The list of sessions is another one then. */
  const listed = async <T>(made: Promise<T>): Promise<T> => {
    const value = await made
    parts.onListed()
    return value
  }
  return {
    fork: (input) => listed(forkSession(parts, input)),
    export: (input) => underWay(attempts, input, (under) => exportSession(parts, input, under)),
    exportAll: (input) => underWay(attempts, input, (under) => exportAll(parts, under)),
    import: (input) => listed(underWay(attempts, input, (under) => importFile(parts, input, under))),
    stop: async ({ attempt }) => attempts.stop(attempt),
  }
}
