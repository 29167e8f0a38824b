// What tabs say to each other is read as it arrives: another tab may be of another build, or wrong, or dead.
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import type { Seat } from '../../../src/worker/host/open-sessions.ts'
import { webLockLeases } from '../../../src/worker/host/tabs/lease.ts'
import { readTabMessage } from '../../../src/worker/host/tabs/tab-messages.ts'
import { joinTabs } from '../../../src/worker/host/tabs/tabs.ts'
import { memoryChannels } from '../../kit/memory-channels.ts'
import { memoryLocks } from '../../kit/memory-leases.ts'
import { text } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'
import { type Browser, openBrowser, viewWhere } from '../../kit/several-tabs.ts'

vi.setConfig({ testTimeout: 20_000 }) // the machine may be busy

const browsers: Browser[] = []
afterEach(() => {
  for (const browser of browsers.splice(0)) browser.close()
})

const wholeMessage = { type: 'call', session: 's', from: 'b', tenure: 't', request: 'r', group: 'drive', command: 'send', input: {} }

test('S9 a message that is not understood is none, whatever it is', () => {
  fc.assert(fc.property(fc.anything(), (given) => readTabMessage(given) === undefined || typeof given === 'object'))
  expect(readTabMessage(wholeMessage)).toEqual(wholeMessage)
  for (const wrong of [
    { type: 'constructor' },
    { ...wholeMessage, input: 'x' },
    { ...wholeMessage, from: 7 },
    { ...wholeMessage, type: 'new' },
  ])
    expect(readTabMessage(wrong)).toBeUndefined()
})

test('S9 S10 a frame with a gap in it is none', () => {
  const frame = (...seqs: readonly number[]) => ({ type: 'frame', watch: 'w', frame: { events: seqs.map((seq) => ({ seq })), stored: 0 } })
  expect(readTabMessage(frame(4, 5, 6))).toEqual(frame(4, 5, 6))
  expect(readTabMessage(frame(4, 6))).toBeUndefined()
  expect(readTabMessage({ type: 'frame', watch: 'w', frame: { events: 'none', stored: 0 } })).toBeUndefined()
  expect(readTabMessage({ type: 'frame', watch: 'w', frame: { events: [null], stored: 0 } })).toBeUndefined()
})

test('S9 a tab of another build that says anything does no harm, and is told which commands are not known', async () => {
  const browser = openBrowser({ model: scriptedModel([text('ok')]) })
  browsers.push(browser)
  const a = await browser.open()
  const mine = await a.client.sessions.create()
  const other = await (await browser.open()).client.sessions.open(mine.id)
  const { channels } = browser.stranger()
  const session = mine.id
  let tenure = ''
  let to = ''
  const answers: { readonly type: string; readonly error?: { readonly code: string } }[] = []
  let answered = (): void => {}
  channels('tab/stranger', (message) => {
    const heard = message as { readonly type: string; readonly from: string; readonly tenure: string }
    if (heard.type === 'driving') {
      tenure = heard.tenure
      to = heard.from
    } else answers.push(heard)
    answered()
  })
  const heard = (): Promise<void> =>
    new Promise((resolve) => {
      answered = resolve
    })
  const room = channels('tabs')
  for (const nonsense of [{}, { type: 'driving' }, { type: 'who', session: 1 }, [1, 2]]) room.post(nonsense)
  room.post({ type: 'who', session, from: 'stranger' })
  await heard()
  const line = channels(`tab/${to}`)
  const call = { type: 'call', session, from: 'stranger', tenure, input: { sessionId: session } }
  line.post({ ...call, request: '1', group: 'drive', command: 'explode' })
  line.post({ ...call, request: '2', group: 'sessions', command: 'remove' })
  line.post({ ...call, request: '3', group: 'constructor', command: 'name' })
  line.post({ ...call, request: '4', group: 'drive', command: 'send', input: { messageId: 'm', content: 'no list' } })
  while (answers.length < 4) await heard()
  expect(answers.map(({ error }) => error?.code)).toEqual(Array.from({ length: 4 }, () => 'command/invalid'))
  line.post({ ...call, tenure: 'another', request: '5', group: 'drive', command: 'cancel' })
  await heard()
  expect(answers.at(-1)).toEqual({ type: 'left', session, tenure: 'another' })
  await other.send('hi')
  await viewWhere(other, ({ live, transcript }) => live?.status === 'idle' && JSON.stringify(transcript).includes('ok'))
})

test('S9 the watches of a tab that died are served no more; only its lock says that it died', async () => {
  const locks = memoryLocks()
  const line = memoryChannels()
  const [driving, dying] = [locks(), locks()]
  let stopped = (): void => {}
  const stops = new Promise<void>((resolve) => {
    stopped = resolve
  })
  const driver: NonNullable<Seat['driver']> = {
    where: 'here',
    tenure: 't',
    call: async () => undefined,
    watch: (_after, show) => {
      show({ events: [], stored: 0 })
      return { ack: () => {}, stop: stopped }
    },
  }
  const looking = { go: () => {}, fail: () => {} }
  const seat = {
    id: 's',
    errands: new Set([looking]),
    held: undefined,
    driver,
    withdraw: new AbortController(),
    conflicts: 0,
  } satisfies Seat
  const never = (): never => {
    throw new Error('Nobody asked for this')
  }
  const sessions = {
    seats: new Map([['s', seat]]),
    create: never,
    agent: never,
    add: never,
    give: never,
    queue: never,
    letGo: never,
    end: never,
    ended: never,
  }
  const persistence = { state: never }
  joinTabs({
    tab: 'a',
    channels: line().channels,
    leases: webLockLeases('test', driving.locks),
    sessions,
    persistence,
    yieldMs: 1,
    perform: never,
  })
  webLockLeases('test', dying.locks).live('b')
  const theirs = line()
  await new Promise<void>((resolve) => {
    theirs.channels('tab/b', () => resolve())
    theirs.channels('tab/a').post({ type: 'watch', session: 's', from: 'b', tenure: 't', watch: 'w', after: -1 })
  })
  dying.kill()
  await stops
})
