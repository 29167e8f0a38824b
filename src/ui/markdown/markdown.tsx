// A model's text as Markdown, while it streams and after.
import { useRef } from 'preact/hooks'
import { kept } from '../components/kept.tsx'
import type { Block } from './lex-markdown.ts'
import { PlainText } from './plain-text.tsx'
import { BlockView } from './render-block.tsx'
import type { Growing } from './stream-markdown.ts'
import { advance, EMPTY, shownGroups } from './stream-markdown.ts'

/** `open`: more may come. */
export const Markdown = kept((props: { readonly text: string; readonly open: boolean }) => {
  const parsed = useRef<Growing>(EMPTY) // a cache of what the text says, not a state
  parsed.current = advance(parsed.current, props.text, props.open)
  return (
    <div class="prose">
      {shownGroups(parsed.current).map((blocks, index) => (
        <Group key={index} blocks={blocks} />
      ))}
      {parsed.current.rest === '' ? null : <PlainText text={parsed.current.rest} />}
    </div>
  )
})

const Group = kept((props: { readonly blocks: readonly Block[] }) =>
  props.blocks.map((block, index) => <BlockView key={index} block={block} />),
)
