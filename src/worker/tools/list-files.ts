// The tool `list_files`: what is in a folder, with sizes.
import type { ListedEntry } from '../capabilities/files/list-tree.ts'
import { byteSize, counted } from './byte-size.ts'
import { defineTool } from './define-tool.ts'
import type { ToolDefinition, ToolReturn } from './tool.ts'
import { type FileCapability, workspaceOf } from './workspace-of.ts'

/** `meta`: `{ folder, files, bytes, omitted }`; `files` counts everything below the folder. */
export const listFiles = (files: FileCapability): ToolDefinition =>
  defineTool({
    name: 'list_files',
    description: 'List the files in a folder and its folders, with sizes. Very many are shown folder by folder.',
    parameters: { folder: { type: 'string', description: 'Default: your folder' } },
    readOnly: true,
    isConcurrencySafe: () => true,
    async execute({ folder = '.' }, context): Promise<ToolReturn> {
      const { entries, ...facts } = await workspaceOf(files, context).list(folder)
      if (facts.files === 0) return { content: [{ type: 'text', text: `${facts.folder} is empty: no files yet.` }], meta: facts }
      const lines = [
        `${facts.folder}: ${counted(facts.files, 'file')}, ${byteSize(facts.bytes)}`,
        ...entries.map(lineOf),
        ...(facts.omitted > 0 ? [`… and ${facts.omitted} more. List one of the folders.`] : []),
      ]
      return { content: [{ type: 'text', text: lines.join('\n') }], meta: facts }
    },
  })

const lineOf = (entry: ListedEntry): string =>
  entry.kind === 'file'
    ? `${entry.path}  ${byteSize(entry.bytes)}`
    : `${entry.path}/  ${counted(entry.files, 'file')}, ${byteSize(entry.bytes)}`
