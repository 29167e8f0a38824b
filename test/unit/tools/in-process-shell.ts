// The real interpreter without its worker, for tests in Node: everything but the hard kill.
import { ownerOf } from '../../../src/worker/capabilities/shell/owner-calls.ts'
import { runInBash } from '../../../src/worker/capabilities/shell/run-in-bash.ts'
import type { Shell } from '../../../src/worker/capabilities/shell/shell.ts'

export const inProcessShell = (): Shell => ({
  async run(request, signal) {
    signal.throwIfAborted()
    const { command, cwd, timeoutMs, files, commands = {} } = request
    const run = { command, cwd, timeoutMs, tree: await files.list(), commands: Object.keys(commands) }
    const result = await runInBash(run, ownerOf(request), signal)
    signal.throwIfAborted()
    return result
  },
})
