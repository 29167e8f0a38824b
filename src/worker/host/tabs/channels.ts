// How tabs talk: named channels on which every other tab of this origin hears what one posts.
import { namesOf } from './lease.ts'

export type Channel = {
  /** Plain data; whoever posts does not hear it. */
  post(message: object): void
  close(): void
}

/** Opens a channel; what comes on it is not to be trusted: another tab may be of another build. */
export type Channels = (name: string, hear?: (message: unknown) => void) => Channel

/** Undefined where the browser has none: then every tab is alone, and the epoch in a session's row is the guard. */
export const broadcastChannels = (namespace: string): Channels | undefined =>
  typeof BroadcastChannel !== 'function'
    ? undefined
    : (name, hear) => {
        const channel = new BroadcastChannel(namesOf(namespace) + name)
        if (hear !== undefined) channel.onmessage = ({ data }) => hear(data)
        return { post: (message) => channel.postMessage(message), close: () => channel.close() }
      }
