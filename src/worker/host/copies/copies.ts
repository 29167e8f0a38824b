// Copies of sessions: forks, files, and what comes out of files. Loaded apart from the core, with the first such command.
import type { AgentHost } from '../../protocol/agent-host.ts'
import { type ExportParts, exportAll, exportSession } from './export.ts'
import { type ForkParts, forkSession } from './fork.ts'
import { type ImportParts, importFile } from './import.ts'

export type Copies = Pick<AgentHost['sessions'], 'fork' | 'export' | 'exportAll' | 'import'>

export const createCopies = (parts: ForkParts & ExportParts & ImportParts): Copies => ({
  fork: (input) => forkSession(parts, input),
  export: (input) => exportSession(parts, input),
  exportAll: () => exportAll(parts),
  import: (input) => importFile(parts, input),
})
