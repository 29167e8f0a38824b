// The text of tokens as they come. A token may be a part of a character, and its text may depend on the token before it.

export type TokenText = {
  /** The text that is certain now. */
  push(token: bigint): string
  /** What is left, when no token comes any more. */
  end(): string
}

/** What stands for bytes that are no character, or not yet. */
const UNFINISHED = '\uFFFD'

export const tokenText = (decode: (tokens: bigint[]) => string): TokenText => {
  /** The tokens whose text was told last: decoders drop a blank at the beginning, so no piece is decoded without what it follows. */
  let told: bigint[] = []
  let toldText = ''
  let waiting: bigint[] = []
  const take = (isLast: boolean): string => {
    if (waiting.length === 0) return ''
    const text = decode([...told, ...waiting])
    if (text.endsWith(UNFINISHED) && !isLast) return ''
    const more = text.slice(toldText.length)
    told = waiting
    toldText = decode(told)
    waiting = []
    return more
  }
  return {
    push(token) {
      waiting.push(token)
      return take(false)
    },
    end: () => take(true),
  }
}
