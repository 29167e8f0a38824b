// A real browser on a profile that stays: started anew after it was killed, its processes known by their ids.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { browserPath, chromiumArguments } from '../../scripts/browser.mjs'

export type RealBrowser = {
  readonly pid: number
  page(): Promise<Page>
  /** The processes in which pages run. Some of them stand by, and have none. */
  renderers(): Promise<readonly number[]>
  /** Every process of it, at once and without a word. Resolves when it is gone. */
  kill(): Promise<void>
}

const ARGUMENTS = [
  ...chromiumArguments,
  '--headless=new',
  '--disable-gpu',
  '--no-default-browser-check',
  '--hide-crash-restore-bubble',
  '--disable-breakpad',
  '--password-store=basic',
  '--use-mock-keychain',
  '--remote-debugging-port=0',
]

const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const endProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended by itself meanwhile
  }
}

/** Chromium writes the port it listens on into its profile. */
const portOf = async (child: ChildProcess, file: string): Promise<string> => {
  for (let waited = 0; waited < 60_000; waited += 50) {
    const port = existsSync(file) ? readFileSync(file, 'utf8').split('\n')[0] : ''
    if (port) return port
    if (child.exitCode !== null) throw new Error(`The browser ended with code ${child.exitCode} while it started.`)
    await soon(50)
  }
  throw new Error('The browser did not start within a minute.')
}

export const startBrowser = async (profile: string): Promise<RealBrowser> => {
  const portFile = join(profile, 'DevToolsActivePort')
  rmSync(portFile, { force: true })
  const child = spawn(browserPath(), [...ARGUMENTS, `--user-data-dir=${profile}`, 'about:blank'], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const { pid } = child
  if (pid === undefined) throw new Error(`The browser at ${browserPath()} cannot be started.`)
  const onExit = (): void => endProcess(pid) // a test that fails leaves nothing behind
  process.on('exit', onExit)
  let browser: Browser
  try {
    browser = await chromium.connectOverCDP(`http://127.0.0.1:${await portOf(child, portFile)}`, { timeout: 60_000 })
  } catch (error) {
    endProcess(pid)
    throw error
  }
  const context = browser.contexts()[0]
  if (context === undefined) throw new Error('The browser has no profile.')
  const tools = await browser.newBrowserCDPSession()
  const processes = async (): Promise<readonly { readonly type: string; readonly id: number }[]> =>
    (await tools.send('SystemInfo.getProcessInfo')).processInfo

  return {
    pid,
    page: () => context.newPage(),
    renderers: async () => (await processes()).filter(({ type }) => type === 'renderer').map(({ id }) => id),
    async kill() {
      const all = await Promise.race([processes().catch(() => []), soon(2000).then(() => [])])
      endProcess(pid)
      process.off('exit', onExit)
      await ended
      for (const { id } of all) if (id !== pid) endProcess(id)
      await browser.close().catch(() => {}) // Playwright's end of a connection that is gone
    },
  }
}
