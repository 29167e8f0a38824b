// A block of code: its language, a copy button, and text that scrolls inside itself.
import { useRef, useState } from 'preact/hooks'
import { CheckIcon, CopyIcon } from '../components/icons.tsx'
import { kept } from '../components/kept.tsx'
import type { CodeParts } from './code-parts.ts'
import { NO_CODE, splitCode } from './code-parts.ts'
import { highlight, languageOf } from './highlight.ts'

export const CodeBlock = kept((props: { readonly text: string; readonly label?: string; readonly bare?: boolean }) => (
  <div class={props.bare ? 'code code--bare' : 'code'}>
    <div class="code__bar">
      <span class="code__label">{props.label === undefined || props.label === '' ? 'text' : props.label}</span>
      <CopyButton text={props.text} />
    </div>
    <CodeText text={props.text} language={languageOf(props.label ?? '')} />
  </div>
))

/** Scrolls inside itself, with the keyboard as well, so it takes focus. */
export const CodeText = kept((props: { readonly text: string; readonly language?: string | undefined }) => {
  const split = useRef<CodeParts>(NO_CODE) // a cache of what the text says, not a state
  split.current = splitCode(split.current, props.text)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable without a mouse
    <pre class="code__text" tabIndex={0}>
      <code>
        {split.current.parts.map((part, index) => (
          <CodePart key={index} text={part} language={props.language} />
        ))}
      </code>
    </pre>
  )
})

/** Coloured by itself, so that growing code is coloured in its last part only. An empty last line still needs its height. */
const CodePart = kept((props: { readonly text: string; readonly language: string | undefined }) => (
  <span class="code__part">
    {props.text === '' ? '\u200b' : props.language === undefined ? props.text : coloured(props.text, props.language)}
  </span>
))

const coloured = (text: string, language: string) =>
  highlight(text, language).map((span, index) => (
    <span key={index} class={span.kind === 'plain' ? undefined : `code-${span.kind}`}>
      {span.text}
    </span>
  ))

const CopyButton = (props: { readonly text: string }) => {
  const [outcome, setOutcome] = useState<'none' | 'copied' | 'refused'>('none')
  const copy = async () => {
    const done = await navigator.clipboard.writeText(props.text).then(
      () => 'copied' as const,
      () => 'refused' as const, // no permission, or the page lost focus: the button says so
    )
    setOutcome(done)
    setTimeout(() => setOutcome('none'), 1600)
  }
  return (
    <button type="button" class="code__copy" onClick={copy}>
      {outcome === 'copied' ? <CheckIcon /> : <CopyIcon />}
      <span>{outcome === 'none' ? 'Copy' : outcome === 'copied' ? 'Copied' : 'Not allowed'}</span>
    </button>
  )
}
