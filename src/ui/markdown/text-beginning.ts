// How much of a long text is shown before somebody asks for all of it.

/** In lines and in characters; whichever comes first. */
export type Reach = { readonly lines: number; readonly characters: number }

/** A tool's card is read in passing. */
export const IN_A_CARD: Reach = { lines: 200, characters: 20_000 }
/** Code in an answer, or a file that was opened, is what the person came for. */
export const IN_FULL_SIGHT: Reach = { lines: 2_000, characters: 100_000 }

/** The text itself when it is within reach. Never half a character. */
export const beginningOf = (text: string, { lines, characters }: Reach): string => {
  let end = -1
  for (let count = 0; count < lines; count++) {
    end = text.indexOf('\n', end + 1)
    if (end < 0 || end > characters) break
  }
  const cut = end < 0 || end > characters ? characters : end
  // A line end at the very end is no more to show.
  if (text.length <= cut || (cut === end && text.length === end + 1)) return text
  const isHalf = /[\ud800-\udbff]/.test(text[cut - 1] ?? '')
  return text.slice(0, isHalf ? cut - 1 : cut)
}

/** A line end at the end begins no line. */
export const linesIn = (text: string): number => {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
