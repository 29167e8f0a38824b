// Text that every server can take: no half of a surrogate pair, which is no character and no valid UTF-8.

/** A lone surrogate becomes U+FFFD. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD')

/** At most `units` UTF-16 code units, never the half of a pair. */
export const cutText = (text: string, units: number): string => {
  if (text.length <= units) return text
  const last = text.charCodeAt(units - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units)
}
