// Why a worker did not start, as far as the browser lets it be known: the error event says little, the network and the policy say more.
import { SideloopError } from '../../storage/log/errors.ts'

export type StartWitness = {
  /** Makes the worker and notes its address. */
  make(start: () => Worker): Worker
  /** The cause in plain words, asked after the failure. */
  explain(errorMessage: string | undefined): Promise<SideloopError>
  stop(): void
}

/**
 * The address of a worker is known to whoever makes it, and to nobody else: a failed one tells nothing, and has no resource timing.
 * So the constructor is watched for the length of this one synchronous call.
 */
const makeAndSee = (start: () => Worker, see: (url: string) => void): Worker => {
  const Original = globalThis.Worker
  globalThis.Worker = class extends Original {
    constructor(url: string | URL, options?: WorkerOptions) {
      see(new URL(url, globalThis.location?.href).href)
      super(url, options)
    }
  }
  try {
    return start()
  } finally {
    globalThis.Worker = Original
  }
}

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
  let url: string | undefined
  const onViolation = (event: SecurityPolicyViolationEvent): void => {
    blocked = `A content security policy (${event.effectiveDirective}) does not allow ${event.blockedURI}. Allow the worker's file in worker-src.`
  }
  globalThis.addEventListener?.('securitypolicyviolation', onViolation)

  return {
    make: (start) => {
      // Where there are no workers (tests, other runtimes), the function makes something that speaks like one.
      if (typeof globalThis.Worker !== 'function') return start()
      return makeAndSee(start, (seen) => {
        url = seen
      })
    },
    async explain(errorMessage) {
      // An error without words is a script that could not be loaded; none at all is one that runs and says nothing.
      const failed = errorMessage === '' && url !== undefined ? await look(url) : undefined
      const cause = blocked ?? (errorMessage ? `It stopped with: ${errorMessage}` : failed)
      const message = cause ?? 'It gave no sign of life in time. Reload the page; if that does not help, look at the console for the cause.'
      return new SideloopError('worker/start', `The agent's worker did not start. ${message}`)
    },
    stop: () => globalThis.removeEventListener?.('securitypolicyviolation', onViolation),
  }
}
