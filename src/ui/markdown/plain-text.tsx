// Text as it is, in parts: a browser lays out a text node of hundreds of kilobytes in one go, and again whenever it grows.
import { kept } from '../components/kept.tsx'

const PART = 4_000

/** A part is a block, so it ends with a line where one ends in its second half, else with a word, and never with half a character. */
const endOfPart = (text: string, begin: number): number => {
  const end = begin + PART
  if (end >= text.length) return text.length
  const half = begin + PART / 2
  for (const mark of ['\n', ' ']) {
    const at = text.lastIndexOf(mark, end - 1)
    if (at >= half) return at + 1
  }
  return /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end
}

const partsOf = (text: string): readonly string[] => {
  const parts: string[] = []
  for (let begin = 0; begin < text.length; ) {
    const end = endOfPart(text, begin)
    parts.push(text.slice(begin, end))
    begin = end
  }
  return parts
}

export const PlainText = (props: { readonly text: string }) => (
  <span class="plain">
    {partsOf(props.text).map((part, index) => (
      <PlainPart key={index} text={part} />
    ))}
  </span>
)

const PlainPart = kept((props: { readonly text: string }) => <span class="plain__part">{props.text}</span>)
