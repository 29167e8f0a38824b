// Inline tokens to nodes. Nothing of a model's text ever becomes HTML: tags are shown as the characters they are.
import type { Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { decodeEntities } from './entities.ts'
import { withoutHiddenMarks } from './hidden-marks.ts'
import type { Inline } from './lex-markdown.ts'
import { ModelLink, ModelPicture } from './model-link.tsx'
import { PlainText } from './plain-text.tsx'

/** `say`: what is done to each piece of text before it is shown. */
export const renderInline = (tokens: readonly Token[] | undefined, say = asItIs): ComponentChildren =>
  tokens?.map((token) => renderToken(token as Inline, say))

const asItIs = (text: string): string => text

const renderToken = (token: Inline, say: (text: string) => string): ComponentChildren => {
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? say(decodeEntities(token.text)) : renderInline(token.tokens, say)
    case 'escape':
      return say(token.text)
    case 'plain':
      return <PlainText text={say(token.text)} />
    case 'strong':
      return <strong>{renderInline(token.tokens, say)}</strong>
    case 'em':
      return <em>{renderInline(token.tokens, say)}</em>
    case 'del':
      return <del>{renderInline(token.tokens, say)}</del>
    case 'codespan':
      return <code class="code-span">{say(token.text)}</code>
    case 'br':
      return <br />
    case 'link':
      return (
        <ModelLink address={addressOf(token)} text={decodeEntities(token.text)}>
          {renderInline(token.tokens, withoutHiddenMarks)}
        </ModelLink>
      )
    case 'image':
      return <ModelPicture address={token.href} text={say(decodeEntities(token.text))} />
    case 'html':
      // A line break is the one tag that models need inside tables, and it can do nothing.
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : say(token.raw)
    case 'checkbox':
      return null // the list's item draws it
    default:
      return say(token.raw)
  }
}

const addressOf = (link: Tokens.Link): string => (link.autolink ? link.href : decodeEntities(link.href))
