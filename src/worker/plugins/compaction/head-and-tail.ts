// Shortens a long text to its head and its tail, with a marker between them: beginnings and ends say most.

/** About `limit` characters and the marker; no surrogate pair is cut. A text that fits is given back as it is. */
export const headAndTail = (text: string, limit: number, marker = (left: number) => `[… ${left} characters left out …]`): string => {
  if (text.length <= limit) return text
  const head = text.slice(0, wholeAt(text, Math.ceil(limit * 0.7)))
  const tail = text.slice(wholeAt(text, text.length - Math.floor(limit * 0.3)))
  return `${head}\n${marker(text.length - head.length - tail.length)}\n${tail}`
}

const wholeAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}
