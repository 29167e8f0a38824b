// What the agent asks, in the composer's place: its keys, its focus, what is kept, and what a person allows.
import { afterEach, describe, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { SessionEventData } from '../../../src/storage/log/events.ts'
import type { Entry } from '../../unit/projections/build-log.ts'
import { call, message, stepEnd, stepStart, text, turnEnd, turnStart, userSays } from '../../unit/projections/build-log.ts'
import { expectSoon, frame, memoryKeepsakes, mountApp, press, row, shownText, type, unmountAll } from './mount.tsx'

afterEach(unmountAll)

type Questions = SessionEventData['question/asked']['questions']
const callOf = (name: string, args: object = {}, callId = 'c1'): readonly Entry[] => [
  message([call(callId, name, JSON.stringify(args))]),
  ['tool/call', { turn: 1, step: 1, callId, name, arguments: JSON.stringify(args) }],
]
const asks = (questions: Questions, callId = 'c1'): readonly Entry[] => [
  ...callOf('ask_user', { questions: [] }, callId),
  ['question/asked', { callId, questions }],
]
const wants = (tool: string, detail: { readonly [name: string]: string | number }, callId = 'c1'): readonly Entry[] => [
  ...callOf(tool, detail, callId),
  ['approval/asked', { callId, action: { tool, summary: tool, detail } }],
]
const COLOURS: Questions = [{ id: 'q1', text: 'Which colour?', options: [{ label: 'Red', detail: 'Warm' }, { label: 'Blue' }] }]
const ROOMS: Questions = [{ id: 'q1', text: 'Which rooms?', options: [{ label: 'Bath' }, { label: 'Hall' }], multiple: true }]

const opened = async (entries: readonly Entry[], keepsakes = memoryKeepsakes()) => {
  const page = await mountApp({ sessions: [row('a', 'One')], address: 'a', keepsakes })
  await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
  const session = page.session('a')
  session.setLive({ status: 'running' })
  session.write([turnStart, userSays('go'), stepStart(), ...entries])
  await frame()
  return { ...page, session, focused: () => document.activeElement as HTMLElement }
}

describe('A5 a question', () => {
  test('takes the place of the composer, whose draft comes back when it is answered', async () => {
    const page = await opened([])
    await type(page.message(), 'half a thought')
    page.session.write(asks(COLOURS))
    await frame()
    expect(page.all('#composer-text')).toEqual([])
    expect(page.one('main').dataset.runState).toBe('waiting')
    expect(shownText(page.one('.top__run'))).toBe('Waiting for you')
    expect(page.one('.session .dot').dataset.status).toBe('waiting')
    expect(shownText(page.one('[data-spoken]'))).toBe('The agent asks: Which colour?')
    page.session.write([['question/answered', { callId: 'c1', answers: null }]])
    await frame()
    expect(page.message().value).toBe('half a thought')
    expect(page.focused()).toBe(page.message())
  })

  test('has the focus; numbers choose, arrows move, and Enter answers', async () => {
    const page = await opened(asks(COLOURS))
    expect(page.focused()).toBe(page.one('.option input'))
    expect(page.button('Answer').disabled).toBe(true)
    await userEvent.keyboard('2')
    expect(page.all('.option input').map((input) => (input as HTMLInputElement).checked)).toEqual([false, true])
    await userEvent.keyboard('{ArrowUp}')
    expect(page.all('.option input').map((input) => (input as HTMLInputElement).checked)).toEqual([true, false])
    await userEvent.keyboard('{Enter}')
    expect(page.of('answer')).toEqual([['c1', [{ id: 'q1', chosen: ['Red'] }]]])
    await userEvent.keyboard('{Enter}')
    expect(page.of('answer'), 'once').toHaveLength(1)
  })

  test('Enter takes the option that has the focus', async () => {
    const page = await opened(asks(COLOURS))
    await userEvent.keyboard('{Enter}')
    expect(page.of('answer')).toEqual([['c1', [{ id: 'q1', chosen: ['Red'] }]]])
  })

  test('several choices are toggled, and none of them is an answer too', async () => {
    const page = await opened(asks(ROOMS))
    await userEvent.keyboard('12{ArrowUp} ')
    expect(page.all('.option input').map((input) => (input as HTMLInputElement).checked)).toEqual([false, true])
    await userEvent.keyboard('2')
    page.button('Answer').click()
    await expectSoon(() => expect(page.of('answer')).toEqual([['c1', [{ id: 'q1', chosen: [] }]]]))
  })

  test('own words are given beside the options or instead of them', async () => {
    const page = await opened(asks([{ ...COLOURS[0], id: 'q1', text: 'Which?', freeText: true }]))
    await type(page.one<HTMLTextAreaElement>('.question__own'), '  green 2 ')
    await press(page.one('.question__own'), '1') // a digit is text here
    await press(page.one('.question__own'), 'Enter', { isComposing: true })
    expect(page.of('answer')).toEqual([])
    await press(page.one('.question__own'), 'Enter')
    expect(page.of('answer')).toEqual([['c1', [{ id: 'q1', chosen: [], text: 'green 2' }]]])
  })

  test('of several questions Enter goes from one to the next, back to what is missing, and then answers', async () => {
    const page = await opened(
      asks([
        { id: 'a', text: 'A?', freeText: true },
        { ...COLOURS[0], id: 'b', text: 'B?' },
      ]),
    )
    expect(page.focused().getAttribute('aria-label')).toBe('A?')
    await userEvent.keyboard('{Enter}2{Enter}')
    expect(page.of('answer')).toEqual([])
    expect(page.focused().getAttribute('aria-label')).toBe('A?')
    await userEvent.keyboard('yes{Enter}')
    expect(page.focused()).toBe(page.one('[data-question="1"] input:checked'))
    await userEvent.keyboard('{Enter}')
    expect(page.of('answer')).toEqual([
      [
        'c1',
        [
          { id: 'a', chosen: [], text: 'yes' },
          { id: 'b', chosen: ['Blue'] },
        ],
      ],
    ])
  })

  test('what was chosen so far is kept over a reload, and forgotten when it is answered', async () => {
    const keepsakes = memoryKeepsakes()
    await opened(asks(COLOURS), keepsakes)
    await userEvent.keyboard('2')
    unmountAll()
    const again = await opened(asks(COLOURS), keepsakes)
    expect(again.focused()).toBe(again.one('.option input:checked'))
    again.button('Answer').click()
    await expectSoon(() => expect(again.of('answer')).toEqual([['c1', [{ id: 'q1', chosen: ['Blue'] }]]]))
    await expectSoon(() => expect([...keepsakes.all.keys()].filter((name) => name.startsWith('answer'))).toEqual([]))
  })

  test('is dismissed with a button only: Escape stops the turn', async () => {
    const page = await opened(asks(COLOURS))
    await press(page.focused(), 'Escape')
    expect(page.of('answer')).toEqual([])
    expect(page.of('cancel')).toEqual([['stopped by the user', 'hold']])
    page.button('Dismiss').click()
    await expectSoon(() => expect(page.of('answer')).toEqual([['c1', null]]))
  })

  test('an answer that is refused says why and can be given again', async () => {
    const page = await opened(asks(COLOURS))
    page.refuse('answer', new Error('It was answered elsewhere.'))
    await userEvent.keyboard('1{Enter}')
    await expectSoon(() => expect(shownText(page.one('.notice'))).toContain('Not answered. It was answered elsewhere.'))
    page.refuse('answer', undefined)
    page.button('Answer').click()
    await expectSoon(() => expect(page.of('answer')).toHaveLength(2))
  })

  test('stays on its card with its answer', async () => {
    const page = await opened(asks(COLOURS))
    expect(page.one('[data-tool=ask_user]').dataset.state).toBe('waiting')
    expect(shownText(page.one('[data-tool=ask_user] .tool__word'))).toBe('waiting for you')
    page.session.write([
      ['question/answered', { callId: 'c1', answers: [{ id: 'q1', chosen: ['Blue'], text: 'a dark one' }] }],
      ['tool/result', { turn: 1, step: 1, callId: 'c1', content: [text('…')], isError: false }],
    ])
    await frame()
    expect(shownText(page.one('[data-tool=ask_user] dd'))).toBe('Blue, a dark one')
    expect(shownText(page.one('[data-tool=ask_user] .tool__word'))).toBe('answered')
  })
})

describe('A5 an approval', () => {
  const file = { path: 'a.md', content: '# Hi' }

  test('shows the whole of what will happen, with the focus on its first answer', async () => {
    const page = await opened(wants('run_js', { code: 'const x = 1\nx', timeoutMs: 50 }))
    expect(shownText(page.one('#ask-title'))).toBe('The agent wants to run JavaScript')
    expect(page.one('.ask .code__text').textContent).toContain('const x = 1')
    expect(page.one('.ask .code-word').textContent).toBe('const')
    expect(shownText(page.one('.ask__body'))).toContain('2 lines, 13 B · timeoutMs: 50')
    expect(page.focused().dataset.choice).toBe('Allow once')
    expect(page.one('[data-tool=run_js]').dataset.state).toBe('waiting')
    expect(shownText(page.one('[data-spoken]'))).toBe('The agent asks for your permission to run JavaScript.')
  })

  test('of a command shows the command', async () => {
    const page = await opened(wants('bash', { command: 'rm -rf notes &&\nls' }))
    expect(shownText(page.one('#ask-title'))).toBe('The agent wants to run a command in the shell')
    expect(page.one('.ask .code__text').textContent).toContain('rm -rf notes &&\nls')
  })

  test('of a tool without words of its own shows every argument', async () => {
    const page = await opened(wants('fetch_page', { url: 'https://example.com/<b>x</b>' }))
    expect(shownText(page.one('#ask-title'))).toBe('The agent wants to use the tool fetch_page')
    expect(page.one('.ask .code__text').textContent).toContain('"url": "https://example.com/<b>x</b>"')
  })

  test.each([
    ['1', { kind: 'allow', reach: 'once' }],
    ['2', { kind: 'allow', reach: 'session' }],
    ['3', { kind: 'allow', reach: 'always' }],
    ['4', { kind: 'deny', reach: 'once' }],
    ['{Enter}', { kind: 'allow', reach: 'once' }],
    ['{ArrowLeft}{Enter}', { kind: 'deny', reach: 'once' }],
    ['{ArrowRight}{ArrowRight}{Enter}', { kind: 'allow', reach: 'always' }],
  ])('the keys %s decide', async (keys, decision) => {
    const page = await opened(wants('write_file', file))
    await userEvent.keyboard(keys)
    expect(page.of('decide')).toEqual([['c1', decision]])
  })

  test('a no is given with a reason', async () => {
    const page = await opened(wants('write_file', file))
    await type(page.one<HTMLInputElement>('.ask__reason'), 'not 1 of these')
    await press(page.one('.ask__reason'), 'Enter')
    expect(page.of('decide')).toEqual([['c1', { kind: 'deny', reach: 'once', note: 'not 1 of these' }]])
  })

  test('the next key of somebody who is writing is not taken for an answer', async () => {
    const page = await opened([])
    await userEvent.click(page.message())
    await userEvent.keyboard('and then')
    page.session.write(wants('write_file', file))
    await frame()
    await userEvent.keyboard(' 1 more{Enter}')
    expect(page.of('decide')).toEqual([])
    expect(page.app.drafts.text.value).toBe('and then 1 more')
    page.button('Allow once').click()
    await expectSoon(() => expect(page.of('decide')).toHaveLength(1))
  })

  test('the oldest of several is asked first, and how many follow is said', async () => {
    const page = await opened([...wants('write_file', file, 'c1'), ...wants('write_file', { path: 'b.md', content: '' }, 'c2')])
    expect(shownText(page.one('.ask__more'))).toBe('One more after this')
    await userEvent.keyboard('1')
    page.session.write([['approval/decided', { callId: 'c1', decision: { kind: 'allow', reach: 'once' } }]])
    await frame()
    expect(shownText(page.one('#ask-title'))).toContain('b.md')
    expect(page.focused().dataset.choice).toBe('Allow once')
    await userEvent.keyboard('4')
    expect(page.of('decide').map(([callId]) => callId)).toEqual(['c1', 'c2'])
  })

  test('Stop is there, and a stop takes the card away', async () => {
    const page = await opened(wants('write_file', file))
    page.button('Stop').click()
    await expectSoon(() => expect(page.of('cancel')).toEqual([['stopped by the user', 'hold']]))
    page.session.write([stepEnd(), turnEnd({ kind: 'aborted', reason: 'stopped by the user' })])
    page.session.setLive({ status: 'idle' })
    await frame()
    expect(page.all('.ask')).toEqual([])
    expect(page.one('main').dataset.runState).toBe('idle')
  })

  test('its card tells what was decided', async () => {
    const page = await opened(wants('write_file', file))
    page.session.write([
      ['approval/decided', { callId: 'c1', decision: { kind: 'deny', reach: 'once', note: 'Too early' } }],
      ['tool/result', { turn: 1, step: 1, callId: 'c1', content: [], isError: true, error: { name: 'ToolError', code: 'DENIED' } }],
    ])
    await frame()
    expect(shownText(page.one('[data-decision=deny]'))).toBe('You said no: Too early')
    expect(shownText(page.one('[data-tool=write_file] .tool__word'))).toBe('not allowed')
  })
})

test('A5 what is asked about before it runs is a setting', async () => {
  const page = await mountApp()
  page.app.layout.showSettings(true)
  await expectSoon(() => expect(page.one<HTMLInputElement>('[data-ask=write_file]').disabled).toBe(false))
  page.one('[data-ask=write_file]').click()
  page.one('[data-ask=run_js]').click()
  page.one('[data-ask=write_file]').click()
  await frame()
  expect(page.of('people.ask')).toEqual([[['write_file']], [['write_file', 'run_js']], [['run_js']]])
  page.refuse('people.ask', new Error('No room.'))
  page.one('[data-ask=run_js]').click()
  await expectSoon(() => expect(shownText(page.one('.notice'))).toContain('Not changed. No room.'))
  await expectSoon(() => expect(page.one<HTMLInputElement>('[data-ask=run_js]').checked).toBe(true))
})
