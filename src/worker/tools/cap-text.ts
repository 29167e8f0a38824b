// Shortens long text to its head and tail with a marker between them, so that both ends stay readable.

/** At most about `limit` characters, plus the marker. No surrogate pair is cut. */
export const capText = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const head = text.slice(0, whole(text, Math.ceil(limit * 0.7)))
  const tail = text.slice(whole(text, text.length - Math.floor(limit * 0.3)))
  return `${head}\n… ${text.length - head.length - tail.length} characters left out …\n${tail}`
}

const whole = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}
