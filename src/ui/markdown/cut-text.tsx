// Text of any size as code: its beginning, and all of it when somebody asks for that.
import { useState } from 'preact/hooks'
import { kept } from '../components/kept.tsx'
import { saySize } from '../state/say-time.ts'
import { CodeText } from './code-text.tsx'
import type { Reach } from './text-beginning.ts'
import { beginningOf, IN_A_CARD, linesIn } from './text-beginning.ts'

type Props = { readonly text: string; readonly language?: string | undefined; readonly reach?: Reach }

export const CutText = kept(({ text, language, reach = IN_A_CARD }: Props) => {
  const [whole, setWhole] = useState(false)
  const beginning = beginningOf(text, reach)
  if (beginning === text) return <CodeText text={text} language={language} />
  return (
    <>
      <CodeText key={whole ? 'whole' : 'beginning'} text={whole ? text : beginning} language={whole ? undefined : language} />
      <button type="button" class="link-button code__more" aria-expanded={whole} onClick={() => setWhole(!whole)}>
        {whole ? 'Show less' : `Show all ${sayAmount(text)}`}
      </button>
    </>
  )
})

const sayAmount = (text: string): string => {
  const lines = linesIn(text)
  const size = saySize(new TextEncoder().encode(text).length)
  return lines === 1 ? size : `${lines.toLocaleString()} lines (${size})`
}
