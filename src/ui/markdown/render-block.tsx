// Block tokens to nodes.
import type { Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { kept } from '../components/kept.tsx'
import { CodeBlock } from './code-block.tsx'
import type { Block } from './lex-markdown.ts'
import { PlainText } from './plain-text.tsx'
import { renderInline } from './render-inline.tsx'
import { IN_FULL_SIGHT } from './text-beginning.ts'

/** A block that keeps its token keeps its nodes. */
export const BlockView = kept((props: { readonly block: Block }) => renderBlock(props.block))

const renderBlocks = (tokens: readonly Token[]): ComponentChildren => tokens.map((token) => renderBlock(token as Block))

const renderBlock = (block: Block): ComponentChildren => {
  switch (block.type) {
    case 'paragraph':
      return <p>{renderInline(block.tokens)}</p>
    case 'text': // the text of a tight list's item
      return block.tokens === undefined ? block.text : renderInline(block.tokens)
    case 'heading':
      return <Heading depth={block.depth}>{renderInline(block.tokens)}</Heading>
    case 'code':
      return <CodeBlock text={block.text} label={block.lang?.split(/\s/)[0] ?? ''} reach={IN_FULL_SIGHT} />
    case 'blockquote':
      return <blockquote>{renderBlocks(block.tokens)}</blockquote>
    case 'list':
      return <List list={block} />
    case 'table':
      return <Table table={block} />
    case 'hr':
      return <hr />
    case 'html':
      return <p class="raw">{block.raw.trim()}</p>
    case 'plain':
      return <PlainText text={block.text} />
    case 'space':
    case 'def':
    case 'checkbox':
      return null
    default:
      return renderInline([block])
  }
}

/**
 * Headings of a reply come below the page's own. A model may begin at any depth and skip some, so the first three are one level:
 * the levels that a screen reader hears never skip, and the eye is told by `data-depth`.
 */
const Heading = (props: { readonly depth: number; readonly children: ComponentChildren }) =>
  props.depth <= 3 ? <h3 data-depth={props.depth}>{props.children}</h3> : <h4 data-depth={props.depth}>{props.children}</h4>

const List = ({ list }: { readonly list: Tokens.List }) => {
  const items = list.items.map((item, index) => <ListItem key={index} item={item} />)
  return list.ordered ? <ol start={list.start === '' ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>
}

const ListItem = kept(({ item }: { readonly item: Tokens.ListItem }) => (
  <li class={item.task ? 'task' : undefined}>
    {item.task ? <input type="checkbox" checked={item.checked === true} disabled aria-label={item.checked ? 'done' : 'not done'} /> : null}
    {renderBlocks(item.tokens)}
  </li>
))

const Table = ({ table }: { readonly table: Tokens.Table }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable without a mouse
  <div class="table" tabIndex={0}>
    <table>
      <thead>
        <tr>{table.header.map(renderCell)}</tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          <Row key={index} row={row} />
        ))}
      </tbody>
    </table>
  </div>
)

const Row = kept(({ row }: { readonly row: readonly Tokens.TableCell[] }) => <tr>{row.map(renderCell)}</tr>)

const renderCell = (cell: Tokens.TableCell, index: number): ComponentChildren =>
  cell.header ? (
    <th key={index} scope="col" data-align={cell.align ?? undefined}>
      {renderInline(cell.tokens)}
    </th>
  ) : (
    <td key={index} data-align={cell.align ?? undefined}>
      {renderInline(cell.tokens)}
    </td>
  )
