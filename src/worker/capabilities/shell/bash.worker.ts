// The worker that the shell runs in: one command line at a time, ended from outside when it does not end by itself.
import { messageOf } from '../../../storage/log/errors.ts'
import type { CommonMessage } from '../killable-worker.ts'
import type { FromWorker, OwnerCall, OwnerCalls, RunInWorker, ToWorker } from './shell-messages.ts'

const say = (message: FromWorker | CommonMessage): void => self.postMessage(message)

const waiting = new Map<number, (answer: Extract<ToWorker, { type: 'answer' }>) => void>()
let asked = 0

const ask = <C extends OwnerCall>(call: C, args: readonly unknown[]): ReturnType<OwnerCalls[C]> =>
  new Promise((resolve, reject) => {
    const id = ++asked
    waiting.set(id, (answer) => (answer.ok ? resolve(answer.value as never) : reject(new Error(answer.message))))
    say({ type: 'ask', id, call, args })
  }) as ReturnType<OwnerCalls[C]>

const owner: OwnerCalls = {
  command: (...args) => ask('command', args),
  read: (...args) => ask('read', args),
  write: (...args) => ask('write', args),
  move: (...args) => ask('move', args),
  remove: (...args) => ask('remove', args),
  makeFolder: (...args) => ask('makeFolder', args),
  removeFolder: (...args) => ask('removeFolder', args),
}

const run = async (request: RunInWorker): Promise<void> => {
  let loaded: typeof import('./run-in-bash.ts')
  try {
    loaded = await import('./run-in-bash.ts')
  } catch (error) {
    say({ type: 'unavailable', message: messageOf(error) })
    return
  }
  say({ type: 'started' })
  say({ type: 'ended', result: await loaded.runInBash(request, owner) })
}

// Listening before anything is awaited: a message that comes while the interpreter loads must not be lost.
self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'run') return void run(data.run)
  const settle = waiting.get(data.id)
  waiting.delete(data.id)
  settle?.(data)
})
