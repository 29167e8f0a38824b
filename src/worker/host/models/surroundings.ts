// Where the worker's requests come from, and what the browser says of it: passed in, so that a test can be anywhere.
import type { Fetch } from '../../llm/adapters/stream-response.ts'
import type { LocalSearch } from '../../protocol/providers.ts'

export type Surroundings = {
  readonly fetch: Fetch
  readonly online: () => boolean
  /** Of the page. */
  readonly origin: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Whether this page may reach this computer and its network, where the browser has a word on it. */
  readonly localAccess: () => Promise<LocalSearch['access']>
  /** Whether the page's own content policy stopped a request to this origin. */
  readonly isBlocked: (origin: string) => boolean
}

/** Chrome asks from version 142 on, under the first name; later under one for each kind of place. */
const PERMISSIONS = ['local-network-access', 'loopback-network'] as const

const askPermission = async (name: string): Promise<LocalSearch['access']> => {
  try {
    // The list of names that TypeScript knows is older than the browsers'.
    return (await navigator.permissions.query({ name: name as PermissionName })).state
  } catch {
    return 'unknown' // a browser that does not know the name asks nobody
  }
}

export const browserSurroundings = (now: () => number): Surroundings => {
  const blocked = new Set<string>()
  // A host in a thread of another kind, as in a test of Node, has no policy and no such event.
  globalThis.addEventListener?.('securitypolicyviolation', (event) => {
    if ('blockedURI' in event && URL.canParse(String(event.blockedURI))) blocked.add(new URL(String(event.blockedURI)).origin)
  })
  return {
    fetch: (url, init) => fetch(url, init),
    online: () => navigator.onLine,
    get origin() {
      return location.origin
    },
    now,
    localAccess: async () => {
      const said = await Promise.all(PERMISSIONS.map(askPermission))
      return (['denied', 'prompt', 'granted'] as const).find((state) => said.includes(state)) ?? 'unknown'
    },
    isBlocked: (origin) => blocked.has(origin),
  }
}
