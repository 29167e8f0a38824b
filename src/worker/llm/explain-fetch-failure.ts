// A fetch that failed without an answer says almost nothing in a browser. This says what it may have been and what to do.
import type { ModelFailure } from '../../storage/log/model-call.ts'

/** What is known of the place that asked. In a worker: `navigator.onLine` and `location.origin`. */
export type Surroundings = { readonly online?: boolean; readonly origin?: string }

/** `model/…` facts of class `transport`. It is never shown as a wrong key: a browser hides the answer that would say so. */
export const explainFetchFailure = (url: string, error: unknown, here: Surroundings = {}): ModelFailure => {
  const target = parsedUrl(url)
  if (target === undefined) {
    return failure(`The address ${url} is not a web address. It should look like https://api.example.com/v1.`, 'lasting', 'bad-url')
  }
  const { host } = target
  const local = isLocal(target.hostname)
  const known = systemCode(error)
  if (known !== undefined) return failure(bySystemCode(known, host, local), local ? 'lasting' : 'passing', known)
  if (here.online === false && !local) {
    return failure(
      `This device is offline, so ${host} cannot be reached. The message is kept; continue when the connection is back.`,
      'passing',
      'offline',
    )
  }
  const secureHere = here.origin?.startsWith('https:') === true
  if (secureHere && target.protocol === 'http:' && !isLoopback(target.hostname)) {
    const why = `A page on https may not ask ${host} over plain http (mixed content).`
    return failure(`${why} Use an https address for this provider, or open Sideloop from http on this network.`, 'lasting', 'mixed-content')
  }
  const origin = here.origin === undefined || here.origin === 'null' ? 'this page' : here.origin
  if (local) {
    const private_ = secureHere ? ' The browser may also be asking for permission to reach the local network; allow it.' : ''
    return failure(
      `No answer from ${host}. Either no server is running there, or it does not allow requests from ${origin}. Start it, and set its allowed origin: Ollama by OLLAMA_ORIGINS=${here.origin ?? '<origin>'}, LM Studio by "Enable CORS" in its server settings, vLLM by --allowed-origins.${private_}`,
      'lasting',
      'local-unreachable',
    )
  }
  return failure(
    `No answer from ${host} that the browser lets Sideloop read. The connection may have failed, a blocker or proxy may have stopped it, the address may redirect, or the server does not allow requests from ${origin} (CORS). Check the base URL and the connection; a provider that refuses browsers needs a proxy of your own.`,
    'passing',
    'unreachable',
  )
}

/** A connection that broke after the answer had begun. */
export const explainBrokenStream = (url: string): ModelFailure => {
  const host = parsedUrl(url)?.host ?? url
  return failure(
    `The connection to ${host} broke in the middle of the reply. What had arrived is kept; try again.`,
    'passing',
    'connection-lost',
  )
}

const failure = (message: string, lasting: 'lasting' | 'passing', code: string): ModelFailure => ({
  class: 'transport',
  message,
  transient: lasting === 'passing',
  code,
})

const parsedUrl = (url: string): URL | undefined => {
  try {
    const target = new URL(url)
    return target.protocol === 'https:' || target.protocol === 'http:' ? target : undefined
  } catch {
    return undefined // not an address at all, which is what the caller says
  }
}

const isLoopback = (hostname: string): boolean => /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname)

/** This machine or this network: loopback, private ranges, link-local, names without a dot, `.local`, `.lan`. */
const isLocal = (hostname: string): boolean =>
  isLoopback(hostname) ||
  /^(10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|169\.254(\.\d+){2}|\[f[cde][0-9a-f:]*\])$/i.test(hostname) ||
  /\.(local|lan|home|internal)$/i.test(hostname) ||
  !/[.[]/.test(hostname)

/** Outside browsers the cause has a code. */
const systemCode = (error: unknown): string | undefined => {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : undefined
}

const bySystemCode = (code: string, host: string, local: boolean): string => {
  if (code === 'ECONNREFUSED')
    return `Nothing listens at ${host}. ${local ? 'Start the server there' : 'Check the base URL'}, then try again.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name ${host} was not found. Check the base URL and the connection.`
  if (/CERT|TLS|SSL/.test(code)) return `The certificate of ${host} was not accepted (${code}). Check the base URL.`
  return `The connection to ${host} failed (${code}). Check the connection, then try again.`
}
