// The shell in its worker, in real Chromium: what it can do, how it ends, and what it cannot reach (C2).
import { afterAll, describe, expect, test } from 'vitest'
import type { FileStore } from '../../../src/storage/file-store.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { createWorkspaces } from '../../../src/worker/capabilities/files/workspace.ts'
import type { ShellRequest, ShellResult } from '../../../src/worker/capabilities/shell/shell.ts'
import { type WorkerShellOptions, workerShell } from '../../../src/worker/capabilities/shell/worker-shell.ts'
import { gate } from '../../kit/gate.ts'

const shell = workerShell()
afterAll(() => shell.dispose())

type Given = Partial<ShellRequest> & {
  readonly over?: FileStore
  readonly on?: ReturnType<typeof workerShell>
  readonly signal?: AbortSignal
}

const setup = (files: FileStore = openMemoryStorage().files) => {
  const { workspaceFor } = createWorkspaces({ files, now: () => 1_000 })
  const run = (command: string, { on = shell, signal = new AbortController().signal, ...more }: Given = {}): Promise<ShellResult> =>
    on.run(
      { command, cwd: '/', timeoutMs: 10_000, files: workspaceFor({ id: 's', header: {} }).forProgram(() => undefined), ...more },
      signal,
    )
  return { files, run }
}

const ownShell = (options: WorkerShellOptions = {}) => {
  const workers: Worker[] = []
  const own = workerShell({
    ...options,
    createWorker() {
      const worker = new Worker(new URL('../../../src/worker/capabilities/shell/bash.worker.ts', import.meta.url), { type: 'module' })
      workers.push(worker)
      return worker
    },
  })
  return { own, workers }
}

describe('C2 in its worker', () => {
  test('C2 pipes, files and the exit code come back as they do without one', async () => {
    const { run, files } = setup()
    const command = 'printf "b\\na\\n" > f; mkdir -p d/e; mv f d/e/g; sort d/e/g | tee h; grep x h; echo "$?"; cat nowhere'
    expect(await run(command)).toMatchObject({
      stdout: 'a\nb\n1\n',
      stderr: 'cat: nowhere: No such file or directory\n',
      exitCode: 1,
      timedOut: false,
    })
    expect((await files.list('s', '/')).map(({ path }) => path)).toEqual(['/d/e/g', '/h'])
  })

  test('C2 T6 a command of the host is asked of the host, when it is reached', async () => {
    const { run } = setup()
    const reached: (readonly string[])[] = []
    const commands = {
      status: (words: readonly string[]) => {
        reached.push(words)
        return { stdout: 'noted\n', stderr: '', exitCode: 0 }
      },
    }
    const { stdout } = await run('false && status never; true && status --task "a b" | tr a-z A-Z', { commands })
    expect(reached).toEqual([['--task', 'a b']])
    expect(stdout).toBe('NOTED\n')
    expect((await run('status')).exitCode).toBe(127)
  })

  test('C2 several run beside each other, each with its own files', async () => {
    const runs = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const { run } = setup()
        return (await run(`echo ${i} > f; for x in 1 2 3; do cat f; done`)).stdout
      }),
    )
    expect(runs).toEqual(Array.from({ length: 6 }, (_, i) => `${i}\n${i}\n${i}\n`))
  })

  test('C2 a thousand files are searched', async () => {
    const { files, run } = setup()
    for (let i = 0; i < 1_000; i++) {
      await files.write('s', `/src/${i % 10}/${i}.txt`, new TextEncoder().encode(`line ${i}\n`.repeat(20)), { modifiedAt: 1 })
    }
    expect((await run('grep -rl "line 77$" . | sort; find . -name "*9.txt" | wc -l')).stdout).toBe('src/7/77.txt\n100\n')
  })
})

describe('C2 how it ends', () => {
  test.each([
    ['an endless loop', 'while true; do :; done'],
    ['a wait', 'sleep 3600'],
    ['a job in the background', 'sleep 3600 & sleep 3600'],
  ])('C2 %s ends with the time, and the next command works', async (_what, command) => {
    const { run } = setup()
    expect(await run(`echo before; ${command}`, { timeoutMs: 200 })).toMatchObject({ stdout: 'before\n', exitCode: 124, timedOut: true })
    expect(await run('echo next')).toMatchObject({ stdout: 'next\n', exitCode: 0 })
  })

  test.each([
    ['recursion', ':(){ :|:& };:'],
    ['a string that doubles', 'x=x; while true; do x=$x$x; done'],
    ['output that is too wide', 'printf "%999999999s" x'],
    ['an endless program of awk', `awk 'BEGIN { while (1) x++ }'`],
    ['an endless program of jq', 'jq -n "[repeat(1)]"'],
    ['an endless program of sed', 'echo x | sed ":a;ba"'],
    ['braces that multiply', 'echo {1..999}{1..999}{1..999}'],
    ['a pattern that looks back', `echo ${'a'.repeat(40)}! | grep -E "^(a+)+$"`],
  ])('C2 %s comes to an end of its own', async (_what, command) => {
    const { run } = setup()
    expect((await run(command)).exitCode).not.toBe(0)
    expect((await run('echo next')).stdout).toBe('next\n')
  })

  test('C2 what does not even look at the clock is ended with its worker, and the next command has a new one', async () => {
    const { own, workers } = ownShell({ graceMs: 0 })
    const { run } = setup()
    await run('true', { on: own })
    expect(await run('jq -n "[repeat(1)]"', { on: own, timeoutMs: 20 })).toMatchObject({ exitCode: 124, timedOut: true })
    expect((await run('echo next', { on: own })).stdout).toBe('next\n')
    expect(workers).toHaveLength(2)
    own.dispose()
  })

  test('C2 L17 stopped means settled: no file is being written any more, and what was written stays', async () => {
    const { files } = openMemoryStorage()
    const writing = gate()
    const begun = gate()
    const { write } = files
    let finished = false
    files.write = async (...args) => {
      begun.open()
      await writing.opened
      const entry = await write(...args)
      finished = true
      return entry
    }
    const { run } = setup(files)
    const stop = new AbortController()
    const outcome = run('echo x > f; echo y > g', { signal: stop.signal }).then(
      () => 'ended',
      () => finished,
    )
    await begun.opened
    stop.abort(new Error('stopped'))
    writing.open()
    expect(await outcome).toBe(true)
    expect((await files.list('s', '/')).map(({ path }) => path)).toEqual(['/f'])
  })

  test('C2 a stop before it began is a stop', async () => {
    const { run } = setup()
    await expect(run('echo x', { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped')
  })

  test('C2 a shell that was closed says so', async () => {
    const { own } = ownShell()
    const { run } = setup()
    const waits = run('sleep 3600', { on: own })
    await run('true', { on: own })
    own.dispose()
    await expect(waits).rejects.toMatchObject({ code: 'worker/dead' })
  })

  test('C2 a worker that cannot start says so', async () => {
    const broken = workerShell({ createWorker: () => new Worker(new URL('data:text/javascript,throw 1')) })
    const { run } = setup()
    await expect(run('true', { on: broken })).rejects.toMatchObject({ code: 'worker/start' })
  })
})
