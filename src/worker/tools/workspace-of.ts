// Finds the files that belong to the session of a call.
import { SideloopError } from '../../storage/log/errors.ts'
import type { Workspace, Workspaces } from '../capabilities/files/workspace.ts'
import type { ToolContext } from './tool.ts'

export type FileCapability = Pick<Workspaces, 'workspaceFor'>

/** Errors: `command/invalid` for a call without an agent: files always belong to a session. */
export const workspaceOf = ({ workspaceFor }: FileCapability, { agent }: ToolContext): Workspace => {
  if (agent === undefined) throw new SideloopError('command/invalid', 'Files belong to a session; make this call as an agent.')
  return workspaceFor(agent.session)
}
