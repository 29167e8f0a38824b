// Where each command is carried out: by the driver of its session, wherever that is, or by the worker that was asked.
import type { SessionId } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { AgentHost } from '../protocol/agent-host.ts'
import type { Driver } from './driver.ts'
import type { OpenSessions } from './open-sessions.ts'
import { pageWatch } from './page-watch.ts'

type Place = 'driver' | 'here'
type Places = { readonly [G in keyof AgentHost]: { readonly [M in keyof AgentHost[G]]: Place } }

/**
 * A command for the driver may be given to a second one when the first died before it answered, so what it does twice must be what it
 * does once.
 */
const PLACES: Places = {
  sessions: {
    create: 'here',
    list: 'here',
    rename: 'driver',
    remove: 'here',
    save: 'driver',
    configure: 'driver',
    fork: 'here',
    export: 'here',
    exportAll: 'here',
    import: 'here',
  },
  drive: { send: 'driver', steer: 'driver', cancel: 'driver', continue: 'driver', run: 'driver', compact: 'driver' },
  queue: { edit: 'driver', remove: 'driver', move: 'driver', retarget: 'driver', release: 'driver' },
  people: { answer: 'driver', decide: 'driver', asked: 'here', ask: 'here' },
  log: { read: 'here', packed: 'here', newest: 'here', watch: 'here' },
  tabs: { driver: 'here', takeOver: 'here' },
  models: {
    list: 'here',
    providers: 'here',
    save: 'here',
    remove: 'here',
    test: 'here',
    discover: 'here',
    findLocal: 'here',
    stop: 'here',
    choose: 'here',
    chosen: 'here',
  },
  bridges: { promptApi: 'here' },
  files: { list: 'here', read: 'here' },
  health: { ping: 'here' },
}

/** So long the driver may be silent before what is stored is shown without it, in milliseconds. */
const SILENT_MS = 1000

type Commands = { readonly [group: string]: { readonly [command: string]: (input: object) => Promise<unknown> } }
/** By name, as they come over a wire; the shape of each input was checked. */
const commandsOf = (host: object): Commands => host as Commands
type OfSession = { readonly sessionId: SessionId }

const placeOf = (group: string, command: string): Place | undefined => {
  const places: { readonly [group: string]: { readonly [command: string]: Place } } = PLACES
  return Object.hasOwn(places, group) && Object.hasOwn(places[group]!, command) ? places[group]![command] : undefined
}

/** Carries out commands that are the driver's. Errors: `command/invalid` for any other. */
export const performOn =
  (host: AgentHost): Driver['call'] =>
  async (group, command, input) => {
    if (placeOf(group, command) !== 'driver') {
      throw new SideloopError('command/invalid', `The tab that drives this session does not know ${group}.${command}. Reload both tabs.`)
    }
    return commandsOf(host)[group]![command]!(input)
  }

/** With the driver until it is done; what failed because the session went elsewhere is given to the next one. */
const callDriver = (sessions: OpenSessions, group: string, command: string, input: OfSession): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const id = input.sessionId
    const leave = sessions.add(id, {
      go(driver) {
        driver.call(group, command, input).then(
          (value) => {
            leave()
            resolve(value)
          },
          (error: unknown) => {
            if (!sessions.isWith(id, driver)) return
            leave()
            reject(error)
          },
        )
      },
      fail: reject,
    })
  })

/** Resolves when the watch is with somebody who serves it. `silent`: who serves it when the driver does not answer, if anybody does. */
export const watchDriver = (
  sessions: OpenSessions,
  { sessionId, after, port }: Parameters<AgentHost['log']['watch']>[0],
  silent: () => Promise<Driver | undefined>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const watch = pageWatch(port, after, () => leave())
    const go = (driver: Driver): void => {
      clearTimeout(timer)
      watch.go(driver)
      resolve()
    }
    const timer = setTimeout(async () => {
      const driver = await silent().catch(() => undefined) // told by opening it, if that comes to an end
      if (driver !== undefined && !watch.begun) go(driver)
    }, SILENT_MS)
    const leave = sessions.add(sessionId, {
      go,
      fail(error) {
        clearTimeout(timer)
        if (watch.begun) watch.fail(error)
        else reject(error)
      },
    })
  })

/** The same host, in which commands for a session go to its driver. */
export const routed = (host: AgentHost, sessions: OpenSessions): AgentHost => {
  const groups = Object.entries(PLACES).map(([group, places]) => {
    const local = commandsOf(host)[group]!
    const toDriver = Object.entries(places as { readonly [command: string]: Place })
      .filter(([, place]) => place === 'driver')
      .map(([command]) => [command, (input: OfSession) => callDriver(sessions, group, command, input)])
    return [group, { ...local, ...Object.fromEntries(toDriver) }]
  })
  return Object.fromEntries(groups) as AgentHost
}
