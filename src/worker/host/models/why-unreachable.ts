// A browser hides why a request failed. This asks once more in ways that tell some causes apart, and says what to do about each.
import type { ModelFailure } from '../../../storage/log/model-call.ts'
import type { Surroundings } from './surroundings.ts'

const REACH_MS = 3000
const UNSURE: readonly (string | undefined)[] = ['local-unreachable', 'unreachable', 'not-running']

const transport = (code: string, message: string): ModelFailure => ({ class: 'transport', code, message, transient: false })

/**
 * Whether anything answers there. The request carries nothing and its answer cannot be read (`no-cors`), which is also why no server
 * can refuse it. Such a request has to follow redirects; there is nothing in it that they could carry away.
 */
export const answersAtAll = async (url: string, { fetch }: Pick<Surroundings, 'fetch'>, signal: AbortSignal): Promise<boolean> => {
  try {
    await fetch(url, { mode: 'no-cors', credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', signal })
    return true
  } catch {
    return false // nothing there, or stopped: the caller knows which
  }
}

/** The failure as it is, when it was no matter of reaching the server. */
export const whyUnreachable = async (
  failure: ModelFailure,
  baseUrl: string,
  here: Surroundings,
  signal: AbortSignal,
): Promise<ModelFailure> => {
  if (!UNSURE.includes(failure.code)) return failure
  const { host, origin } = new URL(baseUrl)
  const isLocal = failure.code !== 'unreachable'
  if (isLocal && (await here.localAccess()) === 'denied') {
    return transport(
      'local-network-denied',
      `This browser was told not to let this page reach this computer or its network. Allow it in the page’s site settings (the symbol left of the address), then try again.`,
    )
  }
  const isThere = await answersAtAll(baseUrl, here, AbortSignal.any([signal, AbortSignal.timeout(REACH_MS)]))
  signal.throwIfAborted()
  // The browser tells of a stopped request a moment after that has failed: by now it has told of the first one.
  if (here.isBlocked(origin)) {
    const words = `The content policy of this page does not let it reach ${host}.`
    const allowed = 'It may reach every https address, and http on localhost and 127.0.0.1.'
    return transport('blocked-by-policy', `${words} ${allowed} Put the server behind https, or run it on this computer.`)
  }
  if (isThere) {
    const words = `${host} answers, but does not let pages from ${here.origin} read what it says (CORS).`
    const remedy = isLocal
      ? 'Allow this page’s address in the settings of that server, and restart it.'
      : 'Check the address; an error at the provider may look like this, too. A provider that refuses browsers can be used through a proxy of your own, or through a gateway such as OpenRouter.'
    return transport('origin-refused', `${words} ${remedy}`)
  }
  if (!isLocal) return failure
  const blocked = here.origin.startsWith('https:')
    ? ' Some browsers (Safari among them) let no https page reach plain http on this computer: if the server runs, try another browser, or open this application from http on this computer.'
    : ''
  return transport('not-running', `Nothing answers at ${host}. Start the server there, and check its port.${blocked}`)
}
