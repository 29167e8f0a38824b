// Calls and code of any size: the page draws the beginning, stays quick, and shows the rest when asked.
import { afterEach, describe, expect, test } from 'vitest'
import type { Entry } from '../../unit/projections/build-log.ts'
import { call, chunk, delta, message, stepStart, text, turnStart, userSays } from '../../unit/projections/build-log.ts'
import { expectSoon, frame, mountApp, row, shownText, unmountAll } from './mount.tsx'

afterEach(unmountAll)

const opened = async () => {
  const page = await mountApp({ sessions: [row('a', 'One')], address: 'a' })
  await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
  const session = page.session('a')
  session.setLive({ status: 'running' })
  session.write([turnStart, userSays('go'), stepStart()])
  await frame()
  return { ...page, session, elements: () => page.all('[role=log] *').length }
}

/** The longer of the two: folding and drawing the write, and the two frames after it. In milliseconds. */
const longestTask = async (act: () => void): Promise<number> => {
  const before = performance.now()
  act()
  const written = performance.now()
  await frame()
  return Math.max(written - before, performance.now() - written)
}

/** Some tens of milliseconds on one that does nothing else; without a limit it is ten seconds and more on any. */
const ON_A_BUSY_MACHINE = 1500

const calls = (name: string, args: string): readonly Entry[] => [
  message([call('c1', name, args)]),
  ['tool/call', { turn: 1, step: 1, callId: 'c1', name, arguments: args }],
]
const DENSE = '1;'.repeat(250_000)
const LINES = 'const a = "b" + 1 // c\n'.repeat(45_000)

describe('a tool call of any size', () => {
  test.each([
    ['dense code on one line', 'run_js', JSON.stringify({ code: DENSE })],
    ['dense code on short lines', 'run_js', JSON.stringify({ code: '1;\n'.repeat(170_000) })],
    ['a file of a megabyte', 'write_file', JSON.stringify({ path: '/big.js', content: LINES })],
    ['five megabytes for a tool without a view', 'weather', JSON.stringify({ data: 'x'.repeat(5_000_000) })],
    ['five megabytes that are no JSON', 'weather', '{"a":'.repeat(1_000_000)],
  ])('with %s is drawn at once, in few elements', async (_name, tool, args) => {
    const page = await opened()
    page.session.write([['tool/call', { turn: 1, step: 1, callId: 'warm', name: 'run_js', arguments: '{"code":"1"}' }]])
    await frame()
    const longest = await longestTask(() => page.session.write(calls(tool, args)))
    expect(page.elements()).toBeLessThan(2500)
    expect((page.one('[role=log]').textContent ?? '').length).toBeLessThan(30_000)
    expect(longest).toBeLessThan(ON_A_BUSY_MACHINE)
  })

  test('that is still being written costs no more at its end than at its beginning', async () => {
    const page = await opened()
    const piece = (argumentsDelta: string) =>
      page.session.write([chunk({ type: 'tool-call-delta', index: 0, id: 'c1', name: 'write_file', argumentsDelta })])
    piece(`{"path":"/big.js","content":"${'a line of words\\n'.repeat(300_000)}`)
    await frame()
    const longest = await longestTask(() => piece('and one more'))
    expect(longest).toBeLessThan(ON_A_BUSY_MACHINE)
    expect(shownText(page.one('.tool__subject'))).toBe('/big.js')
    expect(page.elements()).toBeLessThan(2500)
  })

  test('with a huge result shows its beginning, then all of it in one piece of plain text', async () => {
    const page = await opened()
    const result = 'one line of it\n'.repeat(20_000)
    page.session.write([
      ...calls('run_js', '{"code":"1"}'),
      ['tool/result', { turn: 1, step: 1, callId: 'c1', content: [text(result)], isError: false }],
    ])
    await frame()
    const outcome = page.one('.outcome')
    expect(outcome.querySelector('code')?.textContent?.split('\n').length).toBeLessThanOrEqual(201)
    page.button('Show all 20,000 lines (293 KB)').click()
    await frame()
    const whole = outcome.querySelector('code')
    expect(whole?.textContent).toBe(result)
    expect(whole?.querySelectorAll('*').length).toBeLessThanOrEqual(1)
    page.button('Show less').click()
    await frame()
    expect((outcome.textContent ?? '').length).toBeLessThan(20_100)
  })

  test('that asks for permission shows its beginning, says how much there is, and shows all of it when asked', async () => {
    const page = await opened()
    const longest = await longestTask(() =>
      page.session.write([
        ...calls('run_js', JSON.stringify({ code: DENSE })),
        ['approval/asked', { callId: 'c1', action: { tool: 'run_js', summary: 'run_js', detail: { code: DENSE } } }],
      ]),
    )
    expect(longest).toBeLessThan(ON_A_BUSY_MACHINE)
    const card = page.one('[data-asks=approval]')
    expect(card.querySelectorAll('*').length).toBeLessThan(500)
    expect(shownText(card)).toContain('1 line, 488 KB')
    const more = [...card.querySelectorAll('button')].find((button) => button.textContent === 'Show all 488 KB')
    more?.click()
    await frame()
    expect(card.querySelector('code')?.textContent).toBe(DENSE)
  })
})

describe('code in an answer', () => {
  test('of any size is drawn at once, in few elements, and ordinary code keeps its colours', async () => {
    const page = await opened()
    const longest = await longestTask(() => page.session.write([delta(`\`\`\`js\n${DENSE}\n\`\`\`\n\n\`\`\`js\nconst x = 1\n\`\`\``)]))
    expect(longest).toBeLessThan(ON_A_BUSY_MACHINE)
    expect(page.elements()).toBeLessThan(500)
    expect(page.one('.code-word').textContent).toBe('const')
    expect(page.all('.code__more')).toHaveLength(1)
  })
})

describe('A2 A3 what a person said, of a megabyte', () => {
  test.each([
    ['lines', 'word word word word\n'.repeat(50_000)],
    ['words without a line end', 'word '.repeat(200_000)],
    ['one word', 'x'.repeat(1_000_000)],
    ['characters of two units', '🦊'.repeat(500_000)],
  ])('is shown by its beginning, and all of it in parts that are laid out when they are seen: %s', async (_name, words) => {
    const page = await opened()
    page.session.write([turnStart, userSays(words)])
    await frame()
    const said = () => page.all('.said__text').at(-1)
    expect(said()?.textContent?.length).toBeLessThan(2_000)
    page.button('Show all of it').click()
    await frame()
    expect(said()?.textContent).toBe(words)
    const top = said()?.getBoundingClientRect().top ?? 0
    expect([top > -10, top < innerHeight], 'it is read from its beginning').toEqual([true, true])
    const parts = [...(said()?.querySelectorAll<HTMLElement>('.plain__part') ?? [])]
    expect(Math.max(...parts.map(({ textContent }) => textContent.length))).toBeLessThanOrEqual(4_000)
    expect(parts.some(({ textContent }) => /\p{Surrogate}/u.test(textContent))).toBe(false)
    expect(parts.every((part) => getComputedStyle(part).contentVisibility === 'auto')).toBe(true)
    page.button('Show less').click()
    await frame()
    expect(said()?.textContent?.length).toBeLessThan(2_000)
  })
})
