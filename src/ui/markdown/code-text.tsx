// Text as code, in colours while it is small: it scrolls inside itself, with the keyboard as well, so it takes focus.
import { useRef } from 'preact/hooks'
import { kept } from '../components/kept.tsx'
import type { CodeParts } from './code-parts.ts'
import { NO_CODE, splitCode } from './code-parts.ts'
import { highlight } from './highlight.ts'

/** Above either, code is shown without colours: each coloured word is an element, and a page of a million elements stands still. */
const MAX_COLOURED = 20_000
const MAX_TOKENS = 2_000
/** Above it, one text node: a text of short lines would still be thousands of parts. */
const MAX_IN_PARTS = 100_000

type Props = { readonly text: string; readonly language?: string | undefined }

export const CodeText = kept(({ text, language }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable without a mouse
  <pre class="code__text" tabIndex={0}>
    <code>{text.length > MAX_IN_PARTS ? <span class="code__part">{text}</span> : <InParts text={text} language={language} />}</code>
  </pre>
))

const InParts = ({ text, language }: Props) => {
  const split = useRef<CodeParts>(NO_CODE) // a cache of what the text says, not a state
  split.current = splitCode(split.current, text)
  const shown = language !== undefined && isSmall(text, language) ? language : undefined
  return split.current.parts.map((part, index) => <CodePart key={index} text={part} language={shown} />)
}

const isSmall = (text: string, language: string): boolean =>
  text.length <= MAX_COLOURED && (text.length <= MAX_TOKENS || highlight(text, language).length <= MAX_TOKENS)

/** Coloured by itself, so that growing code is coloured in its last part only. An empty last line still needs its height. */
const CodePart = kept((props: { readonly text: string; readonly language: string | undefined }) => (
  <span class="code__part">
    {props.text === '' ? '\u200b' : props.language === undefined ? props.text : coloured(props.text, props.language)}
  </span>
))

const coloured = (text: string, language: string) =>
  highlight(text, language).map((span, index) =>
    span.kind === 'plain' ? (
      span.text
    ) : (
      <span key={index} class={`code-${span.kind}`}>
        {span.text}
      </span>
    ),
  )
