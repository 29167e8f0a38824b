// The tool `write_file`: makes a text file or replaces the whole of one that was read before.
import { byteSize, counted } from './byte-size.ts'
import { defineTool } from './define-tool.ts'
import type { ToolDefinition, ToolReturn } from './tool.ts'
import { type FileCapability, workspaceOf } from './workspace-of.ts'

/** `meta`: `{ path, created, version, lines, bytes }`. */
export const writeFile = (files: FileCapability): ToolDefinition =>
  defineTool({
    name: 'write_file',
    description:
      'Write a text file with the whole new content; folders are made as needed. To change an existing file, read it first, then write all of it.',
    parameters: {
      path: { type: 'string', required: true, description: 'For example /notes/today.md' },
      content: { type: 'string', required: true },
    },
    async execute({ path, content }, context): Promise<ToolReturn> {
      const { created, ...facts } = await workspaceOf(files, context).writeText(path, content)
      const size = `${counted(facts.lines, 'line')}, ${byteSize(facts.bytes)}`
      const text = created ? `Created ${facts.path}: ${size}.` : `Updated ${facts.path}: ${size}, version ${facts.version}.`
      return { content: [{ type: 'text', text }], meta: { ...facts, created } }
    },
  })
