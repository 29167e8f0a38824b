// Inline tokens to nodes. Nothing of a model's text ever becomes HTML: tags are shown as the characters they are.
import type { Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { decodeEntities } from './entities.ts'
import type { Inline } from './lex-markdown.ts'
import { ModelLink, ModelPicture } from './model-link.tsx'
import { PlainText } from './plain-text.tsx'

export const renderInline = (tokens: readonly Token[] | undefined): ComponentChildren =>
  tokens?.map((token) => renderToken(token as Inline))

const renderToken = (token: Inline): ComponentChildren => {
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? decodeEntities(token.text) : renderInline(token.tokens)
    case 'escape':
      return token.text
    case 'plain':
      return <PlainText text={token.text} />
    case 'strong':
      return <strong>{renderInline(token.tokens)}</strong>
    case 'em':
      return <em>{renderInline(token.tokens)}</em>
    case 'del':
      return <del>{renderInline(token.tokens)}</del>
    case 'codespan':
      return <code class="code-span">{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return (
        <ModelLink address={addressOf(token)} text={token.text}>
          {renderInline(token.tokens)}
        </ModelLink>
      )
    case 'image':
      return <ModelPicture address={token.href} text={decodeEntities(token.text)} />
    case 'html':
      // A line break is the one tag that models need inside tables, and it can do nothing.
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw
    case 'checkbox':
      return null // the list's item draws it
    default:
      return token.raw
  }
}

const addressOf = (link: Tokens.Link): string => (link.autolink ? link.href : decodeEntities(link.href))
