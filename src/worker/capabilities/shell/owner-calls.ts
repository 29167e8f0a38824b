// What a running command may ask for, on the side of whoever may do it.
import type { ShellRequest } from './shell.ts'
import type { OwnerCalls } from './shell-messages.ts'

export const ownerOf = ({ files, commands = {} }: Pick<ShellRequest, 'files' | 'commands'>): OwnerCalls => ({
  async command(name, words) {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    return command === undefined ? { stdout: '', stderr: `bash: ${name}: command not found\n`, exitCode: 127 } : command(words)
  },
  read: (path) => files.read(path),
  write: (path, bytes) => files.write(path, bytes),
  move: (from, to) => files.move(from, to),
  remove: (path) => files.remove(path),
  makeFolder: (path) => files.makeFolder(path),
  removeFolder: (path) => files.removeFolder(path),
})
