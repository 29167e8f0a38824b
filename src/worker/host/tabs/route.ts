// Where a command is carried out: by the driver of its session, wherever that is, or by the worker that was asked.
import type { SessionId } from '../../../storage/log/content.ts'
import { SideloopError } from '../../../storage/log/errors.ts'
import type { AgentHost } from '../../protocol/agent-host.ts'
import type { OpenSessions } from '../open-sessions.ts'
import type { Driver } from './driver.ts'

type OfSession = { readonly sessionId: SessionId }
type InputOf<M> = M extends (input: infer I) => unknown ? I : never
type NamesIn<G extends keyof AgentHost> = {
  [M in keyof AgentHost[G] & string]: InputOf<AgentHost[G][M]> extends OfSession ? `${G}.${M}` : never
}[keyof AgentHost[G] & string]
type AboutSession = { [G in keyof AgentHost]: NamesIn<G> }[keyof AgentHost]

/** What any tab does with what is stored. A new command about a session is named here or below: the compiler asks. */
type Anywhere =
  | 'sessions.remove'
  | 'sessions.fork'
  | 'sessions.export'
  | 'log.read'
  | 'log.packed'
  | 'log.newest'
  | 'log.watch'
  | 'tabs.driver'
  | 'tabs.takeOver'
  | 'files.list'
  | 'files.read'

/**
 * What the driver does. A command may be given to a second one when the first died before it answered, so what it does twice must be
 * what it does once.
 */
const TO_DRIVER: { readonly [C in Exclude<AboutSession, Anywhere>]: true } = {
  'sessions.rename': true,
  'sessions.save': true,
  'sessions.configure': true,
  'drive.send': true,
  'drive.steer': true,
  'drive.cancel': true,
  'drive.continue': true,
  'drive.run': true,
  'drive.compact': true,
  'queue.edit': true,
  'queue.remove': true,
  'queue.move': true,
  'queue.retarget': true,
  'queue.release': true,
  'people.answer': true,
  'people.decide': true,
}

type Commands = { readonly [group: string]: { readonly [command: string]: (input: object) => Promise<unknown> } }

/** By name, as they come over a wire; the shape of each input was checked. */
const commandsOf = (host: object): Commands => host as Commands

const isForDriver = (group: string, command: string): boolean => Object.hasOwn(TO_DRIVER, `${group}.${command}`)

/** Carries out commands that are the driver's. Errors: `command/invalid` for any other. */
export const performOn =
  (host: AgentHost): Driver['call'] =>
  async (group, command, input) => {
    if (!isForDriver(group, command)) {
      throw new SideloopError('command/invalid', `The tab that drives this session does not know ${group}.${command}. Reload both tabs.`)
    }
    return commandsOf(host)[group]?.[command]?.(input)
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
          (error) => {
            if (sessions.seats.get(id)?.driver !== driver) return
            leave()
            reject(error)
          },
        )
      },
      fail: reject,
    })
  })

/** The same host, in which what the driver does goes to the driver. */
export const routed = (host: AgentHost, sessions: OpenSessions): AgentHost => {
  const commands = commandsOf(host)
  const toDriver = (group: string, command: string) => (input: OfSession) => callDriver(sessions, group, command, input)
  const groups = Object.entries(commands).map(([group, local]) => {
    const mine = Object.keys(local).filter((command) => isForDriver(group, command))
    return [group, { ...local, ...Object.fromEntries(mine.map((command) => [command, toDriver(group, command)])) }]
  })
  return Object.fromEntries(groups)
}
