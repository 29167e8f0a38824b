// Exports and imports that take their time, as a person sees them: how far they are, and a way out.
import { afterEach, describe, test, vi } from 'vitest'
import type { UnderWayOptions } from '../../../src/worker/client/under-way.ts'
import { expect, expectSoon, frame, mountApp, shownText, unmountAll } from './mount.tsx'

afterEach(() => {
  unmountAll()
  vi.useRealTimers()
})

type Page = Awaited<ReturnType<typeof mountApp>>
type Named = { readonly work: UnderWayOptions; done(): void }

/** Each import goes on until the test says that it is done, or until it is ended. */
const open = async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const under: Named[] = []
  const wait = <T,>(work: UnderWayOptions = {}, value: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      work.signal?.addEventListener('abort', () => reject(work.signal?.reason))
      under.push({ work, done: () => resolve(value()) })
    })
  const page = await mountApp({
    before: ({ client }) => {
      const { import: bring, export: save, exportAll } = client.sessions
      client.sessions.import = (file, work) => wait(work, () => bring(file))
      client.sessions.export = (id, work) => wait(work, () => save(id))
      client.sessions.exportAll = (work) => wait(work, () => exportAll())
    },
  })
  const soon = async () => {
    await vi.advanceTimersByTimeAsync(500)
    await frame()
  }
  return { page, under, soon }
}
const files = (...names: readonly string[]) => names.map((name) => new File([name], name))
const notices = (page: Page) => page.all('.notice').map(shownText)
const bar = (page: Page) => page.one<HTMLProgressElement>('.notice[data-kind=busy] progress')

describe('S12 A4 what takes long', () => {
  test('shows how far it is', async () => {
    const { page, under, soon } = await open()
    const asked = page.app.sessionFiles.import(files('big.zip'))
    await soon()
    expect(bar(page).value).toBe(0)
    under[0]?.work.onProgress?.(0.42)
    await frame()
    expect(bar(page).value).toBeCloseTo(0.42)
    expect(bar(page).getAttribute('aria-label')).toBe('How far it is')
    under[0]?.done()
    await asked
    await frame()
    expect(notices(page)).toEqual([expect.stringContaining('Imported “From big.zip”.')])
  })

  test('an import is cancelled with all the files that follow, and what was there before is told', async () => {
    const { page, under, soon } = await open()
    const asked = page.app.sessionFiles.import(files('a', 'b', 'c'))
    under[0]?.done()
    await expectSoon(() => expect(under).toHaveLength(2))
    await soon()
    page.button('Cancel').click()
    await asked
    await frame()
    expect(notices(page)).toEqual([expect.stringContaining('Import cancelled. One session was added before.')])
    expect(under).toHaveLength(2)
    expect([page.app.sessionFiles.isBusy.value, page.one('main').dataset.sessionId]).toEqual([false, undefined])
  })

  test.each(['one', 'all'])('an export of %s that is cancelled saves no file', async (what) => {
    const { page, soon } = await open()
    const asked = what === 'one' ? page.app.sessionFiles.export('a', 'Trip') : page.app.sessionFiles.exportAll()
    await soon()
    page.button('Cancel').click()
    await asked
    await frame()
    expect(notices(page)).toEqual([expect.stringContaining('Export cancelled. No file was made.')])
    expect(page.saved).toEqual([])
  })
})
