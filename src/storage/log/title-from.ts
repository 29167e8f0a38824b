// A title from the first words of a text, cut where a person would cut it.

/** As a person counts characters: a family of emoji, a flag or a letter with its accents is one. */
const graphemes = typeof Intl === 'object' && 'Segmenter' in Intl ? new Intl.Segmenter() : undefined

const charactersOf = (text: string): readonly string[] =>
  graphemes === undefined ? Array.from(text) : Array.from(graphemes.segment(text), ({ segment }) => segment)

/** Code units that a character has at most as a rule: a line of a megabyte need not be read for its beginning. */
const UNITS = 8

/** The first line, at most `most` characters long, with an ellipsis where it was cut; between two words if there are any. */
export const titleFrom = (text: string, most: number): string => {
  const [line = ''] = text.trimStart().split('\n', 1)
  const near = line.slice(0, most * UNITS).replace(/[\ud800-\udbff]$/, '')
  const characters = charactersOf(near.trimEnd())
  const isNear = near.length === line.length
  if (characters.length <= most && isNear) return characters.join('')
  const whole = isNear ? characters : characters.slice(0, -1) // the last one may have been cut in two
  const cut = whole.slice(0, most - 1).join('')
  return `${cut.replace(/\s+\S*$/, '').trimEnd() || cut}…`
}
