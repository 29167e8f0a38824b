// Long sessions and fast streams: the page follows, stays put, and never blocks.
import { afterEach, describe, expect, test } from 'vitest'
import { foldLog, newestView, withEarlier } from '../../../src/worker/client/session-view.ts'
import type { Entry } from '../../unit/projections/build-log.ts'
import { buildLog, delta, message, stepEnd, stepStart, text, turnEnd, turnStart, userSays } from '../../unit/projections/build-log.ts'
import { expectSoon, frame, mountApp, row, unmountAll } from './mount.tsx'

afterEach(unmountAll)

const opened = async (before: readonly Entry[] = []) => {
  const page = await mountApp({
    sessions: [row('a', 'One')],
    address: 'a',
    before: (scripted) => scripted.session('a').write(before),
  })
  await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
  const session = page.session('a')
  await frame()
  return { ...page, session, scroller: page.one('.conversation__scroll') }
}
const turns = (count: number): readonly Entry[] =>
  Array.from({ length: count }, (_, n): readonly Entry[] => [
    turnStart,
    userSays(`question ${n}`),
    stepStart(),
    message([text(`Answer ${n} with **some** words.\n\n- and\n- a list`)]),
    stepEnd(),
    turnEnd(),
  ]).flat()
const fromEnd = (scroller: HTMLElement) => scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop

describe('A10 the end of the conversation', () => {
  test('is followed while the reader is there', async () => {
    const page = await opened(turns(20))
    expect(fromEnd(page.scroller)).toBeLessThan(2)
    page.session.setLive({ status: 'running' })
    page.session.write([turnStart, userSays('more'), stepStart(), delta('line\n\n'.repeat(60))])
    await expectSoon(() => expect(fromEnd(page.scroller)).toBeLessThan(2))
    expect(page.all('.jump')).toEqual([])
  })

  test('is not forced on a reader who went up, and a button leads back', async () => {
    const page = await opened(turns(20))
    page.session.setLive({ status: 'running' })
    page.session.write([turnStart, userSays('more'), stepStart(), delta('line\n\n'.repeat(60))])
    await expectSoon(() => expect(fromEnd(page.scroller)).toBeLessThan(2))
    page.scroller.scrollTop -= 300
    await frame()
    const place = page.scroller.scrollTop
    page.session.write([delta('line\n\n'.repeat(60))])
    await frame()
    expect(page.scroller.scrollTop).toBe(place)
    const jump = (await page.soon('.jump')) as HTMLButtonElement
    jump.click()
    await expectSoon(() => expect(fromEnd(page.scroller)).toBeLessThan(2))
    expect(page.all('.jump')).toEqual([])
  })
})

describe('S10 a session that was opened at its newest part', () => {
  test('gets what was before it without moving what is read, and without drawing it again', async () => {
    const page = await opened()
    const log = buildLog(turns(150))
    const from = log.findLastIndex(({ seq, type }) => type === 'turn/start' && seq < 700)
    const newest = log.slice(from)
    page.session.setView({ ...newestView({ from, events: newest }), live: page.session.view.live })
    await frame()
    expect(page.scroller.textContent).not.toContain('question 0')
    page.scroller.scrollTop = 400
    await frame()
    const [read] = page.all('[data-item=user]')
    const count = page.all('[data-item]').length
    const place = read?.getBoundingClientRect().top ?? 0
    page.session.setView(withEarlier(page.session.view, foldLog(log.slice(0, from)), newest))
    await frame()
    await frame()
    expect(page.all('[data-item=user]')).toContain(read)
    expect(Math.abs((read?.getBoundingClientRect().top ?? 0) - place)).toBeLessThan(2)
    page.scroller.scrollTop = 0
    await expectSoon(() => expect(page.all('[data-item]').length).toBeGreaterThan(count))
    for (let at = 0; at < 20; at++) {
      page.scroller.scrollTop = 0
      await frame()
    }
    await expectSoon(() => expect(page.all('[data-item=user]').at(0)?.textContent).toContain('question 0'))
    expect(page.all('[data-item=user]').map((item) => /question (\d+)/.exec(item.textContent ?? '')?.[1])).toEqual(
      Array.from({ length: 150 }, (_, n) => String(n)),
    )
  })
})

test('S10 earlier messages that could not be read are told, and the newest stay', async () => {
  const page = await opened(turns(3))
  page.session.setView({ earlier: 'failed' })
  await expectSoon(() => expect(page.scroller.textContent).toContain('Earlier messages could not be read'))
  expect(page.scroller.textContent).toContain('Answer 2')
})

describe('A10 ten thousand messages', () => {
  test('are opened with the newest ones only, and earlier ones come without moving what is read', async () => {
    const page = await opened(turns(5000))
    expect(page.all('[data-item]').length).toBeLessThan(150)
    expect(page.scroller.textContent).toContain('Answer 4999')
    page.scroller.scrollTop = 0
    const read = page.all('[data-item=user]').at(0)
    const before = read?.getBoundingClientRect().top ?? 0
    const count = page.all('[data-item]').length
    await expectSoon(() => expect(page.all('[data-item]').length).toBeGreaterThan(count))
    await frame()
    expect(Math.abs((read?.getBoundingClientRect().top ?? 0) - before)).toBeLessThan(2)
  })

  test('B14 leave the nodes of finished pages alone while a reply streams', async () => {
    const page = await opened(turns(100))
    const settled = await page.soon('.page--settled')
    const changes: MutationRecord[] = []
    const observer = new MutationObserver((records) => changes.push(...records))
    observer.observe(settled, { subtree: true, childList: true, attributes: true, characterData: true })
    page.session.setLive({ status: 'running' })
    page.session.write([turnStart, userSays('more'), stepStart()])
    for (let n = 0; n < 5; n++) {
      page.session.write([delta('some words ')])
      await frame()
    }
    observer.disconnect()
    expect(changes).toEqual([])
  })
})

const PER_FRAME = 134

/** Streams 20,000 chunks at 8,000 a second, and tells for how long the page was blocked at worst, in milliseconds. */
const longestBlock = async (piece: (n: number) => string): Promise<number> => {
  const page = await opened()
  page.session.setLive({ status: 'running' })
  page.session.write([turnStart, userSays('go'), stepStart()])
  await frame()
  const blocks: number[] = []
  const observer = new PerformanceObserver((list) => blocks.push(...list.getEntries().map((entry) => entry.duration)))
  observer.observe({ type: 'longtask' })
  let all = ''
  for (let n = 0; n < 20_000; n += PER_FRAME) {
    const pieces = Array.from({ length: Math.min(PER_FRAME, 20_000 - n) }, (_, index) => piece(n + index))
    all += pieces.join('')
    page.session.write(pieces.map((value) => delta(value)))
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  page.session.write([message([text(all)]), stepEnd(), turnEnd()])
  await frame()
  await frame()
  observer.disconnect()
  expect(page.one('[data-item=assistant]').dataset.state).toBe('done')
  unmountAll()
  return Math.max(0, ...blocks)
}

const CODE_AND_TABLE = '\n\n```js\nlet x = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n'

describe('B8 a reply of 20,000 chunks', () => {
  test.each<readonly [name: string, piece: (n: number) => string]>([
    ['prose with code and tables', (n) => (n % 400 === 399 ? CODE_AND_TABLE : n % 40 === 39 ? '.\n\n' : 'word ')],
    ['one code block', (n) => (n === 0 ? '```js\n' : n % 8 === 7 ? ';\n' : 'call() ')],
    ['one list', (n) => (n % 12 === 0 ? '\n- ' : 'word ')],
    ['one paragraph', () => 'word '],
  ])(
    'of %s never blocks the page for more than 100 ms',
    async (_name, piece) => {
      // A machine that is busy with other things stops a page as well; what the page does by itself, it does every time.
      let worst = Number.POSITIVE_INFINITY
      for (let round = 0; round < 5 && worst > 100; round++) worst = Math.min(worst, await longestBlock(piece))
      expect(worst).toBeLessThanOrEqual(100)
    },
    90_000,
  )
})
