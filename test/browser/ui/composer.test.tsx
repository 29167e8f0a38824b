// The composer: its keys, what waits, and messages that are never lost.
import { afterEach, describe, expect, test } from 'vitest'
import { page as tab, userEvent } from 'vitest/browser'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import type { Waiting } from '../../../src/ui/state/agent-client.ts'
import { stepStart, text, turnEnd, turnStart, userSays } from '../../unit/projections/build-log.ts'
import { expectSoon, frame, memoryKeepsakes, mountApp, press, row, shownText, type, unmountAll } from './mount.tsx'

afterEach(unmountAll)

const waiting = (id: string, words: string, target: Waiting['target'] = 'turn'): Waiting => ({
  id,
  content: [text(words)],
  source: { kind: 'user' },
  target,
})
const running = async () => {
  const page = await mountApp({ sessions: [row('a', 'One')], address: 'a' })
  const session = page.session('a')
  await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
  session.setLive({ status: 'running' })
  session.write([turnStart, userSays('go'), stepStart()])
  await frame()
  return { ...page, session }
}

describe('A3 Enter', () => {
  test('sends, and Shift with Enter breaks the line', async () => {
    const page = await mountApp()
    await userEvent.click(page.message())
    await userEvent.keyboard('one{Shift>}{Enter}{/Shift}two')
    expect(page.message().value).toBe('one\ntwo')
    expect(page.of('send')).toEqual([])
    await userEvent.keyboard('{Enter}')
    await expectSoon(() => expect(page.of('send')).toEqual([['one\ntwo', 'message-1']]))
    expect(page.of('create')).toEqual([[{ title: 'one' }]])
    expect(page.message().value).toBe('')
  })

  test('twice before the page is drawn again sends once', async () => {
    const page = await mountApp()
    await type(page.message(), 'once')
    for (let n = 0; n < 5; n++) void press(page.message(), 'Enter')
    await expectSoon(() => expect(page.of('send')).toHaveLength(1))
    await frame()
    expect(page.of('send')).toEqual([['once', 'message-1']])
  })

  test('sends what was written in the same moment, before it is drawn', async () => {
    const page = await mountApp()
    const field = page.message()
    field.value = 'quick'
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
    await expectSoon(() => expect(page.of('send')).toEqual([['quick', 'message-1']]))
  })

  test('sends nothing when nothing is written', async () => {
    const page = await mountApp()
    await type(page.message(), '   \n ')
    await press(page.message(), 'Enter')
    expect(page.of('create')).toEqual([])
    expect(page.button('Send').disabled).toBe(true)
  })

  test('queues while the agent runs, and Ctrl or Cmd with Enter steers', async () => {
    const page = await running()
    await type(page.message(), 'next')
    await press(page.message(), 'Enter')
    await type(page.message(), 'turn left')
    await press(page.message(), 'Enter', { ctrlKey: true })
    await type(page.message(), 'turn right')
    await press(page.message(), 'Enter', { metaKey: true })
    await expectSoon(() => expect(page.of('steer').map(([words]) => words)).toEqual(['turn left', 'turn right']))
    expect(page.of('send').map(([words]) => words)).toEqual(['next'])
  })
})

describe('T1 a task', () => {
  test('is a message that is sent as a run of the chosen kind', async () => {
    const page = await mountApp()
    await userEvent.selectOptions(tab.getByLabelText('Send as'), 'Task')
    await type(page.message(), 'tidy up')
    await press(page.message(), 'Enter')
    await expectSoon(() => expect(page.of('run')).toEqual([['tidy up', { kind: 'task' }, 'message-1']]))
    expect(page.of('send')).toEqual([])
  })

  test('that is refused comes back into the field with the reason', async () => {
    const page = await mountApp()
    page.refuse('run', new SideloopError('command/invalid', 'The agent is at work.'))
    await userEvent.selectOptions(tab.getByLabelText('Send as'), 'Explore')
    await type(page.message(), 'look around')
    await press(page.message(), 'Enter')
    await expectSoon(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('The agent is at work.'))
    expect(page.message().value).toBe('look around')
  })

  test('is not what is queued while the agent runs', async () => {
    const page = await mountApp({ sessions: [row('a', 'One')], address: 'a' })
    await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
    await userEvent.selectOptions(tab.getByLabelText('Send as'), 'Task')
    page.session('a').setLive({ status: 'running' })
    page.session('a').write([turnStart, userSays('go'), stepStart()])
    await frame()
    await type(page.message(), 'and this')
    await press(page.message(), 'Enter')
    await expectSoon(() => expect(page.of('send').map(([words]) => words)).toEqual(['and this']))
  })
})

describe('P-g02 an Enter that an input method uses does nothing', () => {
  const composing = [
    ['while composing', { isComposing: true }],
    ['that WebKit fires after the end of the composition', { isComposing: false, keyCode: 229 }],
  ] as const

  test.each(composing)('%s, in the composer', async (_name, init) => {
    const page = await mountApp()
    await type(page.message(), '東京')
    const event = await press(page.message(), 'Enter', init)
    expect(event.defaultPrevented).toBe(false)
    expect(page.of('create')).toEqual([])
    expect(page.message().value).toBe('東京')
    await press(page.message(), 'Enter')
    await expectSoon(() => expect(page.of('send')).toHaveLength(1))
  })

  test.each(composing)('%s, in the name of a session', async (_name, init) => {
    const page = await mountApp({ sessions: [row('a', 'One')] })
    await page.choose('What to do with “One”', 'Rename')
    const field = (await page.soon('.session__rename')) as HTMLInputElement
    await type(field, '東京')
    await press(field, 'Enter', init)
    expect(page.of('rename')).toEqual([])
    await press(field, 'Enter')
    await expectSoon(() => expect(page.of('rename')).toEqual([['a', '東京']]))
  })

  test.each(composing)('%s, in a message that waits', async (_name, init) => {
    const page = await running()
    page.session.setLive({ waiting: [waiting('w1', 'later')] })
    await frame()
    page.button('Edit this message').click()
    const field = (await page.soon('.queue__edit')) as HTMLTextAreaElement
    await type(field, '東京')
    await press(field, 'Enter', init)
    expect(page.of('queue.edit')).toEqual([])
    await press(field, 'Enter')
    await expectSoon(() => expect(page.of('queue.edit')).toEqual([['w1', '東京']]))
  })
})

describe('A3 stop', () => {
  test.each(['a button', 'Escape in the composer', 'Escape with the focus nowhere'])('by %s holds the queue', async (how) => {
    const page = await running()
    if (how === 'a button') page.button('Stop').click()
    else await press(how.includes('composer') ? page.message() : document.body, 'Escape')
    await expectSoon(() => expect(page.of('cancel')).toEqual([['stopped by the user', 'hold']]))
  })

  test('Escape does nothing while an input method composes or nothing runs', async () => {
    const page = await running()
    await press(page.message(), 'Escape', { isComposing: true })
    page.session.write([turnEnd()])
    page.session.setLive({ status: 'idle' })
    await frame()
    await press(page.message(), 'Escape')
    expect(page.of('cancel')).toEqual([])
  })

  test('says that messages are held, and sends or discards them', async () => {
    const page = await running()
    page.session.write([turnEnd({ kind: 'aborted', reason: 'stopped by the user' })])
    page.session.setLive({ status: 'idle', held: true, waiting: [waiting('w1', 'one'), waiting('w2', 'two')] })
    await frame()
    expect(shownText(page.one('.queue__held'))).toContain('2 messages are held')
    page.button('Send them now').click()
    await expectSoon(() => expect(page.of('queue.release')).toHaveLength(1))
    page.button('Discard').click()
    await expectSoon(() => expect(page.of('queue.remove')).toEqual([['w1'], ['w2']]))
  })
})

describe('A3 the queue', () => {
  test('is shown, and each message can be edited, removed and steered', async () => {
    const page = await running()
    page.session.setLive({ waiting: [waiting('w1', 'first'), waiting('w2', 'second', 'step')] })
    await frame()
    expect(page.all('[data-item=queued]').map((item) => item.dataset.target)).toEqual(['turn', 'step'])
    page.button('Steer now').click()
    page.button('Put back into the queue').click()
    page.button('Remove this message').click()
    await expectSoon(() =>
      expect(page.of('queue.retarget')).toEqual([
        ['w1', 'step'],
        ['w2', 'turn'],
      ]),
    )
    expect(page.of('queue.remove')).toEqual([['w1']])
  })

  test('a change that is being written when its message leaves the queue goes behind the draft, and that is said', async () => {
    const page = await running()
    page.session.setLive({ waiting: [waiting('w1', 'first')] })
    await type(page.message(), 'a draft')
    page.button('Edit this message').click()
    await type((await page.soon('.queue__edit')) as HTMLTextAreaElement, 'first, but better')
    page.session.setLive({ waiting: [] })
    await frame()
    expect(page.message().value).toBe('a draft\n\nfirst, but better')
    expect(shownText(page.one('.notice'))).toContain('Your change is in the message field.')
    expect(document.activeElement).toBe(page.message())
  })

  test('a change that is refused goes behind the draft as well, and one that was not begun is no change', async () => {
    const page = await running()
    page.session.setLive({ waiting: [waiting('w1', 'first'), waiting('w2', 'second')] })
    await frame()
    page.refuse('queue.edit', new Error('It is not waiting any more.'))
    page.button('Edit this message').click()
    const field = (await page.soon('.queue__edit')) as HTMLTextAreaElement
    await type(field, 'better')
    await press(field, 'Enter')
    await expectSoon(() => expect(page.message().value).toBe('better'))
    page.button('Edit this message').click()
    await page.soon('.queue__edit')
    page.session.setLive({ waiting: [] })
    await frame()
    expect(page.message().value).toBe('better')
  })

  test('a change outlives a look at another session', async () => {
    const page = await running()
    page.session.setLive({ waiting: [waiting('w1', 'first')] })
    await frame()
    page.button('Edit this message').click()
    await type((await page.soon('.queue__edit')) as HTMLTextAreaElement, 'first, but better')
    await page.app.current.open('b')
    await frame()
    expect(page.all('.queue__edit')).toEqual([])
    await page.app.current.open('a')
    expect(((await page.soon('.queue__edit')) as HTMLTextAreaElement).value).toBe('first, but better')
  })

  test('a message that starts at once is shown in the conversation, not as queued', async () => {
    const page = await mountApp({ sessions: [row('a', 'One')], address: 'a' })
    page.session('a').setLive({ status: 'idle', waiting: [waiting('w1', 'go')] })
    await page.soon('[data-item=user]')
    expect(page.all('[data-item=queued]')).toEqual([])
    expect(shownText(page.one('[data-item=user]'))).toBe('go')
  })
})

describe('a message on its way', () => {
  test('is shown as sending until the worker has it on disk, and never twice', async () => {
    const page = await mountApp()
    await type(page.message(), 'hello')
    await press(page.message(), 'Enter')
    await expectSoon(() => expect(page.all('[data-item=user]').map((item) => item.dataset.state)).toEqual(['sending']))
    const session = page.session(page.app.current.id.value ?? '')
    session.write([turnStart, userSays('hello', 'message-1')], { stored: false })
    await frame()
    expect(page.all('[data-item=user]').map((item) => item.dataset.state)).toEqual(['sending'])
    session.write([stepStart()])
    await frame()
    expect(page.all('[data-item=user]').map((item) => item.dataset.state)).toEqual(['sent'])
  })

  test('that the worker refuses comes back with the reason, and goes out again with the same id', async () => {
    const page = await mountApp()
    page.refuse('send', new SideloopError('storage/quota', 'There is no room left.'))
    await type(page.message(), 'precious')
    await press(page.message(), 'Enter')
    const failure = await page.soon('.composer__failure')
    expect(shownText(failure)).toContain('There is no room left.')
    expect(page.message().value).toBe('precious')
    expect(page.all('[data-item=user]')).toEqual([])
    page.refuse('send', undefined)
    await press(page.message(), 'Enter')
    await expectSoon(() => expect(page.of('send').map(([, id]) => id)).toEqual(['message-1', 'message-1']))
    expect(page.all('.composer__failure')).toEqual([])
  })

  test('that is in the conversation and not on disk says so when the store has failed, not that it is being sent', async () => {
    const page = await running()
    page.session.write([userSays('more', 'm2')], { stored: false })
    await frame()
    expect(page.all('.said__state').map(shownText)).toEqual(['Sending…'])
    page.session.setLive({ storage: { kind: 'failed', code: 'storage/quota', message: 'No room left.' } })
    await frame()
    expect(page.all('.said__state').map(shownText)).toEqual(['Not saved yet'])
  })

  test('that is refused does not overwrite what was written since', async () => {
    const page = await mountApp()
    page.refuse('create', new Error('no'))
    const sent = page.app.sending.send('first', 'turn')
    page.app.drafts.edit('second')
    await sent
    await frame()
    expect(page.message().value).toBe('first\n\nsecond')
  })
})

describe('A3 drafts', () => {
  test('are kept per session and over a reload', async () => {
    const keepsakes = memoryKeepsakes()
    const sessions = [row('a', 'One'), row('b', 'Two')]
    const page = await mountApp({ sessions, keepsakes, address: 'a' })
    await type(page.message(), 'for one')
    await page.app.current.open('b')
    await frame()
    expect(page.message().value).toBe('')
    await type(page.message(), 'for two')
    await page.app.current.open('a')
    await frame()
    expect(page.message().value).toBe('for one')
    unmountAll()
    const again = await mountApp({ sessions, keepsakes, address: 'b' })
    expect(again.message().value).toBe('for two')
  })

  test('what is written while a session is being made stays in its composer', async () => {
    const page = await mountApp()
    await type(page.message(), 'go')
    const sent = press(page.message(), 'Enter')
    page.app.drafts.edit('and then')
    await sent
    await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
    expect(page.app.drafts.text.value).toBe('and then')
  })
})

describe('A9 the focus goes on when what held it is gone', () => {
  const focused = () => document.activeElement as HTMLElement
  const click = (button: HTMLElement) => {
    button.focus()
    button.click()
  }

  test('from a removed message to the next one, and from the last one to the composer', async () => {
    const page = await running()
    page.session.setLive({ waiting: [waiting('w1', 'one'), waiting('w2', 'two')] })
    await frame()
    click(page.button('Remove this message'))
    page.session.setLive({ waiting: [waiting('w2', 'two')] })
    await frame()
    expect(focused()).toBe(page.button('Remove this message'))
    page.session.setLive({ waiting: [] })
    await frame()
    expect(focused()).toBe(page.message())
  })

  test.each(['Enter', 'Escape'])('from a changed message back to its row, by %s', async (key) => {
    const page = await running()
    page.session.setLive({ waiting: [waiting('w1', 'one')] })
    await frame()
    page.button('Edit this message').click()
    const field = (await page.soon('.queue__edit')) as HTMLTextAreaElement
    await type(field, 'other')
    await press(field, key)
    expect(focused()).toBe(page.button('Edit this message'))
  })

  test('from Stop, from what sends held messages, and from what goes on, to the composer', async () => {
    const page = await running()
    click(page.button('Stop'))
    page.session.write([turnEnd({ kind: 'aborted', reason: 'stopped by the user' })])
    page.session.setLive({ status: 'idle', held: true, waiting: [waiting('w1', 'one')] })
    await frame()
    expect(focused()).toBe(page.message())
    click(page.button('Send it now'))
    page.session.setLive({ held: false, waiting: [] })
    await frame()
    expect(focused()).toBe(page.message())
    click(page.button('Go on'))
    page.session.setLive({ status: 'running' })
    await frame()
    expect(focused()).toBe(page.message())
  })

  afterEach(() => tab.viewport(414, 896))

  test.each(['Enter', 'Escape'])('from a new name back to the session, by %s', async (key) => {
    await tab.viewport(1200, 800) // on a narrow one the list is a drawer
    const page = await running()
    await page.choose('What to do with “One”', 'Rename')
    const field = (await page.soon('.session__rename')) as HTMLInputElement
    await type(field, 'Uno')
    await press(field, key)
    await expectSoon(() => expect(focused().className).toBe('session__open'))
  })
})
