// The tabs of one application among each other: who drives a session, commands and watches of one tab carried out by another. Loaded
// when the first session was opened: a tab that is alone does not wait for it.
import type { SessionId } from '../../../storage/log/content.ts'
import { fromWireError, toWireError } from '../../client/error-transfer.ts'
import type { WatchFrame } from '../../protocol/frames.ts'
import type { Channel, Channels } from './channels.ts'
import type { Driver, Feed } from './driver.ts'
import { createHandOver, type HandOver, type HandOverParts } from './hand-over.ts'
import type { Leases } from './lease.ts'
import type { Room } from './room.ts'
import { readTabMessage, type TabMessage } from './tab-messages.ts'

export type TabsParts = Omit<HandOverParts, 'room'> & {
  /** The name of this tab among the others. */
  readonly tab: string
  /** Undefined for a tab that is alone. */
  readonly channels: Channels | undefined
  /** Carries out a command that came from another tab. Errors: `command/invalid` for one that is not known or not well-formed. */
  readonly perform: Driver['call']
}

type Message<T extends TabMessage['type']> = Extract<TabMessage, { readonly type: T }>
type Call = {
  readonly session: SessionId
  readonly tenure: string
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** Lines to tabs that were spoken to; more are closed and opened again when needed. */
const MAX_LINES = 16

const seenFromElsewhere = (frame: WatchFrame): WatchFrame =>
  frame.live === undefined ? frame : { ...frame, live: { ...frame.live, driver: 'elsewhere' } }

/** For a tab that has no channel to others. */
const emptyRoom: Room = { ask: () => {}, announce: () => {}, askToStop: () => new Promise(() => {}) }

export type Tabs = { readonly room: Room; readonly handOver: HandOver }

export const joinTabs = ({ channels, tab, perform, ...parts }: TabsParts): Tabs => {
  if (channels === undefined) return { room: emptyRoom, handOver: createHandOver({ ...parts, room: emptyRoom }) }
  const room = openRoom(channels, tab, parts.leases, perform, () => handOver)
  const handOver = createHandOver({ ...parts, room })
  return { room, handOver }
}

const openRoom = (channels: Channels, tab: string, leases: Leases, perform: Driver['call'], handOver: () => HandOver): Room => {
  const lines = new Map<string, Channel>()
  /** Commands that another tab carries out, by request. */
  const calls = new Map<string, Call>()
  /** Watches that another tab serves. */
  const shown = new Map<string, (frame: WatchFrame) => void>()
  /** Watches that are served here, by tab. */
  const served = new Map<string, Map<string, Feed>>()
  const stops = new Map<SessionId, () => void>()
  let count = 0
  const next = (): string => `${tab}/${++count}`

  const post = (to: string, message: TabMessage): void => {
    if (lines.size > MAX_LINES) {
      for (const line of lines.values()) line.close()
      lines.clear()
    }
    const line = lines.get(to) ?? channels(`tab/${to}`)
    lines.set(to, line)
    line.post(message)
  }

  const driverIn = (to: string, session: SessionId, tenure: string): Driver => ({
    where: 'elsewhere',
    tenure,
    call: (group, command, input) =>
      new Promise((resolve, reject) => {
        const request = next()
        calls.set(request, { session, tenure, resolve, reject })
        post(to, { type: 'call', session, from: tab, tenure, request, group, command, input })
      }),
    watch(after, show) {
      const watch = next()
      let seq = after + 1
      shown.set(watch, (frame) => {
        if (frame.events.length > 0 && frame.events[0]?.seq !== seq) return // not what was asked for
        seq += frame.events.length
        show(frame)
      })
      post(to, { type: 'watch', session, from: tab, tenure, watch, after })
      return {
        ack: () => post(to, { type: 'reply', from: tab, watch, reply: 'ack' }),
        stop() {
          if (shown.delete(watch)) post(to, { type: 'reply', from: tab, watch, reply: 'stop' })
        },
      }
    },
  })

  /** Answers of a driver that is none any more are not waited for. */
  const forget = (session: SessionId, tenure: string): void => {
    for (const [request, call] of calls) if (call.session === session && call.tenure !== tenure) calls.delete(request)
  }

  const answerCall = async ({ session, from, tenure, request, group, command, input }: Message<'call'>): Promise<void> => {
    const driver = handOver().here(session)
    if (driver?.tenure !== tenure) return post(from, { type: 'left', session, tenure })
    try {
      const value = await perform(group, command, { ...input, sessionId: session })
      post(from, { type: 'answer', request, value })
    } catch (error) {
      // What failed because the session went elsewhere is asked again there.
      if (handOver().here(session) === driver) post(from, { type: 'refusal', request, error: toWireError(error) })
    }
  }

  /** A tab that died says nothing: its lock does. */
  const feedsOf = (from: string): Map<string, Feed> => {
    const known = served.get(from)
    if (known !== undefined) return known
    const feeds = new Map<string, Feed>()
    served.set(from, feeds)
    const forgetTab = (): void => {
      served.delete(from)
      for (const feed of feeds.values()) feed.stop()
      lines.get(from)?.close()
      lines.delete(from)
    }
    leases.ended(from).then(forgetTab, () => {}) // where locks are refused, its watches stay
    return feeds
  }

  const serveWatch = ({ session, from, tenure, watch, after }: Message<'watch'>): void => {
    const driver = handOver().here(session)
    if (driver?.tenure !== tenure || handOver().offer(session)) post(from, { type: 'left', session, tenure })
    else
      feedsOf(from).set(
        watch,
        driver.watch(after, (frame) => post(from, { type: 'frame', watch, frame: seenFromElsewhere(frame) })),
      )
  }

  const settled = (request: string): Call | undefined => {
    const call = calls.get(request)
    calls.delete(request)
    return call
  }

  const hearing: { readonly [T in TabMessage['type']]: (message: Message<T>) => void } = {
    who({ session, from }) {
      const driver = handOver().here(session)
      if (driver !== undefined) post(from, { type: 'driving', session, from: tab, tenure: driver.tenure })
    },
    driving({ session, from, tenure }) {
      handOver().heard(session, driverIn(from, session, tenure))
      forget(session, tenure)
    },
    left: ({ session, tenure }) => handOver().left(session, tenure),
    async yield({ session, from }) {
      if (await handOver().yield(session)) post(from, { type: 'stopped', session })
    },
    stopped({ session }) {
      stops.get(session)?.()
      stops.delete(session)
    },
    call: answerCall,
    watch: serveWatch,
    reply({ from, watch, reply }) {
      const feeds = served.get(from)
      const feed = feeds?.get(watch)
      if (reply === 'ack') return feed?.ack()
      feed?.stop()
      feeds?.delete(watch)
    },
    answer: ({ request, value }) => settled(request)?.resolve(value),
    refusal: ({ request, error }) => settled(request)?.reject(fromWireError(error)),
    frame: ({ watch, frame }) => shown.get(watch)?.(frame),
  }

  const hear = (heard: unknown): void => {
    const message = readTabMessage(heard)
    if (message !== undefined) (hearing[message.type] as (message: TabMessage) => void)(message)
  }

  const room = channels('tabs', hear)
  channels(`tab/${tab}`, hear)
  const tell = (message: TabMessage): void => room.post(message)

  return {
    ask: (session) => tell({ type: 'who', session, from: tab }),
    announce(session, tenure) {
      tell({ type: 'driving', session, from: tab, tenure })
      forget(session, tenure)
    },
    askToStop: (session) =>
      new Promise((resolve) => {
        stops.set(session, resolve)
        tell({ type: 'yield', session, from: tab })
      }),
  }
}
