// Names with characters that nobody sees: they must not make the words around them read as something else.
import { afterEach, describe, test } from 'vitest'
import { withoutHiddenMarks } from '../../../src/ui/markdown/hidden-marks.ts'
import { expect, frame, mountApp, row, unmountAll } from './mount.tsx'

afterEach(unmountAll)

const TITLE = 'Taxes\u202e gpj.\u2066\u0007\u0000\u009b31m\u2028end'
const PLAIN = 'Taxes gpj.31mend'

describe('A8 names', () => {
  test('lose control characters and what turns the direction, and nothing else', () => {
    expect(withoutHiddenMarks(TITLE)).toBe(PLAIN)
    const kept = 'a\tb\nc é 👩‍👩‍👧 שלום\u200f סלאם\u200c'
    expect(withoutHiddenMarks(kept)).toBe(kept)
  })

  test('of sessions and files are shown so in notices', async () => {
    const page = await mountApp({ sessions: [row('a', TITLE)] })
    await page.app.sessionFiles.import([new File(['no: it is empty'], TITLE)])
    page.app.removals.add({ id: 'a', title: TITLE, turns: 1 })
    await frame()
    const notices = page.all('.notice__text').map(({ textContent }) => textContent)
    expect(notices).toEqual([expect.stringContaining(`“${PLAIN}” was not imported.`), `Deleted “${PLAIN}”.`])
  })

  test('of models and their providers are shown so where they are chosen', async () => {
    const lab = { id: 'x', label: TITLE, api: 'openai-chat', baseUrl: 'https://x.example/v1', models: [TITLE], hasKey: true } as const
    const page = await mountApp({ before: (scripted) => scripted.addProvider(lab) })
    const group = page.one<HTMLOptGroupElement>('.picker optgroup:last-of-type')
    expect([group.label, group.textContent]).toEqual([PLAIN, PLAIN])
  })
})
