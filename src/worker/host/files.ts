// The files of a session, as the page lists and reads them.

import type { FileStore } from '../../storage/file-store.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { AgentHost } from '../protocol/agent-host.ts'

const decode = (path: string, bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new SideloopError('command/invalid', `${path} is not text`, { cause })
  }
}

export const createFiles = (files: FileStore): AgentHost['files'] => ({
  async list({ sessionId, folder = '/' }) {
    const entries = await files.list(sessionId, folder)
    return entries.map(({ path, size, version, modifiedAt }) => ({ path, size, version, modifiedAt }))
  },
  async read({ sessionId, path }) {
    const file = await files.read(sessionId, path)
    if (file === undefined) throw new SideloopError('command/invalid', `There is no file ${path} in this session`)
    return { path, text: decode(path, file.bytes), version: file.entry.version }
  },
})
