// A text of unknown length in the words of an error: its beginning and its end say enough.

export const cutMiddle = (text: string, most: number): string => {
  if (text.length <= most) return text
  const half = Math.floor((most - 1) / 2)
  return `${text.slice(0, half)}…${text.slice(-half)}`
}
