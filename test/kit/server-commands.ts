// The scripted server for tests that run in a browser: Vitest commands that start it in Node. What it does is told as plain data.
import type { Part } from './replies.ts'
import { type Behaviour, type RecordedRequest, type ScriptedServer, startScriptedServer } from './scripted-server.ts'
import { failsWith, sendsBytes, streamsAs } from './server-replies.ts'
import { type StreamingVendor, VENDOR_STREAMS } from './vendor-streams.ts'

export type ScriptedAnswer =
  /** `parts` without gates: `hang()` holds a stream open. */
  | { readonly does: 'streams'; readonly as: StreamingVendor; readonly parts: readonly Part[] }
  | { readonly does: 'fails'; readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly does: 'sends'; readonly text: string; readonly cuts?: 'every-byte'; readonly ending?: 'drop' }

export type SeenRequest = Pick<RecordedRequest, 'method' | 'path' | 'headers' | 'body'>

export interface ServerCommands {
  startServer(answers: readonly ScriptedAnswer[]): Promise<{ readonly id: number; readonly origin: string }>
  /** The model requests so far. */
  serverRequests(id: number): Promise<readonly SeenRequest[]>
  /** Settles when the request of this number, counted from 1, is over. */
  requestEnd(id: number, number: number): Promise<'answered' | 'abandoned'>
  /** Breaks every connection off, whatever was under way. */
  dropConnections(id: number): Promise<void>
  stopServer(id: number): Promise<void>
}

declare module 'vitest/internal/browser' {
  interface BrowserCommands extends ServerCommands {}
}

const servers = new Map<number, ScriptedServer>()
const serverOf = (id: number): ScriptedServer => {
  const server = servers.get(id)
  if (server === undefined) throw new Error(`There is no server ${id}: start one first.`)
  return server
}

const behaviourOf = (answer: ScriptedAnswer): Behaviour => {
  switch (answer.does) {
    case 'streams':
      return streamsAs(VENDOR_STREAMS[answer.as], ...answer.parts)
    case 'fails':
      return failsWith(answer.status, answer.body, answer.headers)
    case 'sends':
      return sendsBytes(answer.text, {
        ...(answer.cuts === undefined ? {} : { cuts: answer.cuts }),
        ...(answer.ending === undefined ? {} : { ending: answer.ending }),
      })
  }
}

/** The first argument of a command is Vitest's own context. */
export const serverCommands = {
  startServer: async (_: unknown, ...[answers]: Parameters<ServerCommands['startServer']>) => {
    const server = await startScriptedServer(answers.map(behaviourOf))
    const id = servers.size + 1
    servers.set(id, server)
    return { id, origin: server.origin }
  },
  serverRequests: (_: unknown, id: number): readonly SeenRequest[] =>
    serverOf(id).requests.map(({ method, path, headers, body }) => ({ method, path, headers, body })),
  requestEnd: async (_: unknown, id: number, number: number) => (await serverOf(id).request(number)).closed,
  dropConnections: (_: unknown, id: number) => serverOf(id).dropConnections(),
  stopServer: (_: unknown, id: number) => serverOf(id).close(),
}
