// Text as it is, in parts: a browser lays out a text node of hundreds of kilobytes in one go, and again whenever it grows.
import { kept } from '../components/kept.tsx'

const PART = 4_000

export const PlainText = (props: { readonly text: string }) => {
  const parts: string[] = []
  for (let at = 0; at < props.text.length; at += PART) parts.push(props.text.slice(at, at + PART))
  return (
    <span class="plain">
      {parts.map((part, index) => (
        <PlainPart key={index} text={part} />
      ))}
    </span>
  )
}

const PlainPart = kept((props: { readonly text: string }) => <span class="plain__part">{props.text}</span>)
