// Where a link leads is always to be seen, whatever its words are made of.
import { afterEach, describe, expect, test } from 'vitest'
import { delta, stepStart, turnStart, userSays } from '../../unit/projections/build-log.ts'
import { expectSoon, frame, mountApp, row, shownText, unmountAll } from './mount.tsx'

afterEach(unmountAll)

const shown = async (markdown: string) => {
  const page = await mountApp({ sessions: [row('a', 'One')], address: 'a' })
  await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
  page.session('a').setLive({ status: 'running' })
  page.session('a').write([turnStart, userSays('go'), stepStart(), delta(markdown)])
  await frame()
  return page
}

describe('A8 the host of a link is shown', () => {
  test.each([
    ['its host inside another one', '[t.co.mybank.example](https://t.co/x)', 't.co.mybank.example (t.co)'],
    [
      'its address inside a longer one',
      '[https://mybank.example/?u=https://t.co/x](https://t.co/x)',
      'https://mybank.example/?u=https://t.co/x (t.co)',
    ],
    ['its host in a sentence', '[go to t.co now](https://t.co/x)', 'go to t.co now (t.co)'],
    ['another host', '[mybank.example](https://evil.example/mybank.example)', 'mybank.example (evil.example)'],
    ['a picture’s words', '[![t.co](https://p.example/x.png)](https://t.co/)', ' (t.co)'],
  ])('when the words hold %s', async (_name, markdown, words) => {
    const page = await shown(markdown)
    expect(page.one('.prose a.link').textContent).toContain(words)
  })

  test.each(['[https://t.co/x](https://t.co/x)', '[t.co](https://t.co/x)', '<https://t.co/x>', 'https://t.co/x'])(
    'only once when the words are exactly the address or the host: %s',
    async (markdown) => {
      const page = await shown(markdown)
      expect(page.all('.link__host')).toEqual([])
    },
  )

  test('and marks that turn the direction of writing turn neither the host nor what follows', async () => {
    const page = await shown('[\u202Emoc.knabym\u202C\u2066](https://evil.example/x) and on')
    const link = page.one('.prose a')
    expect(link.textContent).toBe('moc.knabym (evil.example)')
    expect(getComputedStyle(page.one('.link__words')).unicodeBidi).toBe('isolate')
    expect(getComputedStyle(page.one('.link__host')).unicodeBidi).toBe('isolate')
  })
})

test('A4 the title of a session turns nothing beside it', async () => {
  const page = await mountApp({ sessions: [row('a', '\u202Eeltit')], address: 'a' })
  expect(getComputedStyle(page.one('.session__title')).unicodeBidi).toBe('isolate')
  expect(getComputedStyle(page.one('.top__title')).unicodeBidi).toBe('isolate')
  expect(shownText(page.one('.session__title'))).toBe('eltit')
})
