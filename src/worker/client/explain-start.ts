// Why a worker did not start, as far as the browser lets it be known: the error event says little, the network and the policy say more.
import { SideloopError } from '../../storage/log/errors.ts'

export type StartWitness = {
  /** The cause in plain words, asked after the failure. */
  explain(errorMessage: string | undefined): Promise<SideloopError>
  stop(): void
}

type Seen = { readonly url: string; readonly status: number }

const isScript = (contentType: string): boolean => /javascript|ecmascript/.test(contentType)

/** Asks for the script once more, because a failed worker does not tell its status or type. */
const look = async (url: string): Promise<string | undefined> => {
  try {
    const response = await fetch(url, { cache: 'no-store' })
    const type = response.headers.get('content-type') ?? 'no content type'
    if (!response.ok) return `${url} answers with ${response.status}. Check that the worker file is deployed and that its address is right.`
    if (!isScript(type)) {
      return `${url} is served as ${type}, not as JavaScript. Often a server answers with its start page for a file that is missing: check the address.`
    }
    return `${url} is there, but it could not be run: it has a syntax error, one of its imports is missing, or this browser is too old for module workers.`
  } catch {
    return `${url} cannot be reached. Check the connection and the server.`
  }
}

/** Starts to watch before the worker is made. */
export const witnessStart = (): StartWitness => {
  let blocked: string | undefined
  let seen: Seen | undefined
  const started = performance.now()
  const onViolation = (event: SecurityPolicyViolationEvent): void => {
    blocked = `A content security policy (${event.effectiveDirective}) does not allow ${event.blockedURI}. Allow the worker's file in worker-src.`
  }
  globalThis.addEventListener?.('securitypolicyviolation', onViolation)

  const findScript = (): void => {
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const script = entries.findLast(({ startTime, name }) => startTime >= started - 1 && /worker/i.test(name))
    if (script !== undefined) seen = { url: script.name, status: script.responseStatus }
  }

  return {
    async explain(errorMessage) {
      findScript()
      const cause = blocked ?? (errorMessage ? `It stopped with: ${errorMessage}` : seen && (await look(seen.url)))
      const message = cause ?? 'It gave no sign of life in time. Reload the page; if that does not help, look at the console for the cause.'
      return new SideloopError('worker/start', `The agent's worker did not start. ${message}`)
    },
    stop: () => globalThis.removeEventListener?.('securitypolicyviolation', onViolation),
  }
}
