// The worker that untrusted JavaScript runs in: one run at a time, ended from outside when it does not end by itself.
import { messageOf } from '../../../storage/log/errors.ts'
import type { CommonMessage } from '../killable-worker.ts'
import { createConsoleLimits } from './console-limits.ts'
import { createQuickJsEngine } from './quickjs-engine.ts'
import { runInQuickJs } from './run-in-quickjs.ts'
import type { RunMessage, SandboxMessage } from './sandbox-messages.ts'

const engine = createQuickJsEngine()
const say = (message: SandboxMessage | CommonMessage): void => self.postMessage(message)

const run = async ({ request }: RunMessage): Promise<void> => {
  let loaded: Awaited<ReturnType<typeof engine.load>>
  try {
    loaded = await engine.load()
  } catch (error) {
    say({ type: 'unavailable', message: messageOf(error) })
    return
  }
  const limits = createConsoleLimits()
  const startedAt = performance.now()
  say({ type: 'started' })
  const { ending, isSound } = await runInQuickJs(loaded, request, (line) => {
    const kept = limits.take(line)
    if (kept !== undefined) say({ type: 'console', line: kept })
  })
  if (!isSound) engine.drop()
  say({ type: 'ended', ending, droppedLines: limits.dropped, ms: Math.round(performance.now() - startedAt) })
}

// Listening before anything is awaited: a message that comes while the engine loads must not be lost.
self.addEventListener('message', (event: MessageEvent<RunMessage>) => void run(event.data))
