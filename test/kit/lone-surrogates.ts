// Finds half characters anywhere in a request body, also behind the escapes of JSON text in it: for the history checkers.

export const isJsonObject = (text: unknown): boolean => {
  if (typeof text !== 'string') return false
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false // not JSON at all
  }
}

/** The places at which there are some. */
export function* loneSurrogates(value: unknown, place = 'body'): Generator<string> {
  if (typeof value === 'string') {
    // Escapes inside JSON text are characters to the server that decodes it.
    if (
      /\p{Surrogate}/u.test(value) ||
      (/^\s*\{/.test(value) &&
        isJsonObject(value) &&
        /\p{Surrogate}/u.test(JSON.stringify(JSON.parse(value)).replace(/\\ud[89a-f][0-9a-f]{2}/gi, '\ud800')))
    )
      yield place
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, held] of Object.entries(value)) yield* loneSurrogates(held, `${place}.${key}`)
  }
}
