// A server of one file, as fetch sees it: whole or from where it is asked, cut off, changed, refusing. Plain functions, no network.

export type FileAnswer = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag?: string
  /** Breaks off after so many bytes of this answer. */
  readonly breakAfter?: number
  /** Answers 200 with everything, whatever is asked. */
  readonly noRanges?: true
  /** Does not say how long it is. */
  readonly noLength?: true
  /** Shows a page neither the range nor the length of the whole, as a site without the CORS header for them. */
  readonly hidesRange?: true
  /** The length of a part is one of the headers that every page may see. */
  readonly showsLength?: true
  readonly pieces?: number
}
export type Answer = FileAnswer | Response | 'refused'

export type FileServer = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** The ranges that were asked for; '' for everything. */
  readonly asked: readonly string[]
}

const streamOf = (bytes: Uint8Array<ArrayBuffer>, breakAfter: number, piece: number): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= breakAfter) return controller.error(new TypeError('network error'))
      if (at >= bytes.length) return controller.close()
      const end = Math.min(at + piece, bytes.length, breakAfter)
      controller.enqueue(bytes.slice(at, end))
      at = end
    },
  })
}

const answerOf = (answer: FileAnswer, range: string): Response => {
  const { bytes, etag, breakAfter = Number.POSITIVE_INFINITY, pieces = Math.max(64, Math.ceil(answer.bytes.length / 16)) } = answer
  const from = Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0)
  const isPart = range !== '' && answer.noRanges === undefined
  const shown: Record<string, string> = etag === undefined ? {} : { etag }
  if (isPart && from >= bytes.length)
    return new Response(null, { status: 416, headers: { ...shown, 'content-range': `bytes */${bytes.length}` } })
  const body = isPart ? bytes.slice(from) : bytes
  if (answer.noLength === undefined && (answer.hidesRange === undefined || answer.showsLength === true))
    shown['content-length'] = String(body.length)
  if (isPart && answer.hidesRange === undefined) shown['content-range'] = `bytes ${from}-${bytes.length - 1}/${bytes.length}`
  return new Response(streamOf(body, breakAfter, pieces), { status: isPart ? 206 : 200, headers: shown })
}

/** Each request takes the next answer; the last one stays. */
export const fileServer = (...answers: readonly Answer[]): FileServer => {
  const asked: string[] = []
  return {
    asked,
    async fetch(_url, init) {
      init.signal?.throwIfAborted()
      const range = new Headers(init.headers).get('range') ?? ''
      const answer = answers[Math.min(asked.length, answers.length - 1)]
      asked.push(range)
      if (answer === undefined || answer === 'refused') throw new TypeError('Failed to fetch')
      return answer instanceof Response ? answer.clone() : answerOf(answer, range)
    },
  }
}
