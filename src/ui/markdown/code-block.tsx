// A block of code: its language, a copy button, and text that scrolls inside itself.
import { useState } from 'preact/hooks'
import { CheckIcon, CopyIcon } from '../components/icons.tsx'
import { kept } from '../components/kept.tsx'
import { CutText } from './cut-text.tsx'
import { languageOf } from './highlight.ts'
import type { Reach } from './text-beginning.ts'
import { IN_A_CARD } from './text-beginning.ts'

type Props = { readonly text: string; readonly label?: string; readonly bare?: boolean; readonly reach?: Reach }

/** `reach`: how much is shown before all of it is asked for; as much as in a tool's card unless told otherwise. */
export const CodeBlock = kept((props: Props) => (
  <div class={props.bare ? 'code code--bare' : 'code'}>
    <div class="code__bar">
      <span class="code__label">{props.label === undefined || props.label === '' ? 'text' : props.label}</span>
      <CopyButton text={props.text} />
    </div>
    <CutText text={props.text} language={languageOf(props.label ?? '')} reach={props.reach ?? IN_A_CARD} />
  </div>
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
