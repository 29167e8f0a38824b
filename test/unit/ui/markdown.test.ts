// Markdown that streams: the end result is the same as one full parse, and finished blocks are never touched again.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block } from '../../../src/ui/markdown/lex-markdown.ts'
import { lexMarkdown } from '../../../src/ui/markdown/lex-markdown.ts'
import type { Growing } from '../../../src/ui/markdown/stream-markdown.ts'
import { advance, EMPTY } from '../../../src/ui/markdown/stream-markdown.ts'

/** What is shown of blocks: all but the raw source, whose line ends belong to one neighbour or the other. */
const shown = (blocks: readonly Block[]): unknown =>
  JSON.parse(
    JSON.stringify(
      blocks.filter((block) => block.type !== 'space' && block.type !== 'def'),
      (key, value) => (key === 'raw' ? undefined : value),
    ),
  )
const full = (text: string) => shown(lexMarkdown(text).blocks)
const streamed = (pieces: readonly string[]): Growing => {
  let state = EMPTY
  let text = ''
  for (const piece of pieces) {
    text += piece
    state = advance(state, text, true)
  }
  return advance(state, text, false)
}
const end = (state: Growing) => shown(state.groups.flat())
const every = (text: string, size: number): string[] => text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []

const DOCUMENT = `# Title

Some *emphasis*, **strong** and \`code\`, a [link](https://example.org) and https://auto.example.

- one
- two

  with a paragraph
- three
  1. nested
  2. again

> a quote
lazily continued

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`js
const x = 1

// still code
\`\`\`
Right after it.

Setext
------

<b>raw</b> html &amp; entities

    indented code

    goes on

- [x] done
- [ ] open

***
The [end][ref].

[ref]: https://example.org/ref
`

describe('P-g01 streaming equals one full render', () => {
  test.each([1, 2, 3, 7, 64, 10_000])('in pieces of %i characters', (size) => {
    expect(end(streamed(every(DOCUMENT, size)))).toEqual(full(DOCUMENT))
  })

  test('with line ends of other systems, cut between their halves', () => {
    const text = DOCUMENT.replaceAll('\n', '\r\n')
    expect(end(streamed(every(text, 1)))).toEqual(full(DOCUMENT))
  })

  test('for any document in any pieces', () => {
    const line = fc.constantFrom(
      '',
      '',
      '',
      'word',
      'two words',
      '- item',
      '- ',
      '-',
      '--',
      '---',
      '1. one',
      '2',
      '2. two',
      '* star',
      '+ plus',
      '  indented',
      '    code',
      '\tx',
      '> quote',
      '>',
      '# head',
      '#',
      '```',
      '```js',
      '~~~',
      '  ```',
      '| a | b |',
      '|---|---|',
      '| 1 | 2 |',
      '===',
      '**bold',
      'close**',
      '`tick',
      '<div>',
      '</div>',
      '<!--',
      '-->',
      '[ref]',
      '[ref]: /url',
      '"title"',
      '- [ ] task',
      '\\',
      '![p](https://x.example/p.png)',
      '***',
      '_',
      '- - -',
      '<pre>',
      '<code>',
      'é',
    )
    const documents = fc.array(line, { maxLength: 14 }).map((lines) => lines.join('\n'))
    const check = fc.property(documents, fc.integer({ min: 1, max: 9 }), (text, size) => {
      expect(end(streamed(every(text, size)))).toEqual(full(text))
    })
    fc.assert(check, { numRuns: 1500 })
  })
})

describe('P-g01 the cost of a step depends on the open block only', () => {
  test('finished blocks keep their identity, and full groups are never replaced', () => {
    const paragraphs = Array.from({ length: 100 }, (_, n) => `Paragraph ${n} with **bold**.`).join('\n\n')
    const before = advance(EMPTY, paragraphs, true)
    const after = advance(before, `${paragraphs} And more.`, true)
    expect(after.groups).toBe(before.groups)
    expect(before.groups.flat().length).toBeGreaterThanOrEqual(98)
    const next = advance(after, `${paragraphs} And more.\n\nNext one`, true)
    expect(next.groups[0]).toBe(before.groups[0])
    expect(next.closedAt).toBeGreaterThan(before.closedAt)
  })

  test('a finished code block is closed at once, and an open one is not parsed', () => {
    const code = `\`\`\`js\n${'let x = 1\n'.repeat(2000)}`
    const open = advance(advance(EMPTY, '```js\n', true), code, true)
    expect(open).toMatchObject({ inFence: true, closedAt: 0 })
    const done = advance(open, `${code}\`\`\`\nAfter`, true)
    expect(done.closedAt).toBeGreaterThan(code.length)
    expect(shown(done.tail)).toEqual(full('After'))
  })

  test('the characters of a fence that is being written are not shown as code', () => {
    expect(advance(EMPTY, '```js\nx\n``', true).tail).toMatchObject([{ type: 'code', text: 'x', lang: 'js' }])
  })

  test('a huge open block is parsed again only after it grew by a part, and shown meanwhile', () => {
    const list = '- item\n'.repeat(4000)
    const before = advance(EMPTY, list, true)
    const after = advance(before, `${list}- more`, true)
    expect(after.tail).toBe(before.tail)
    expect(after.rest).toBe('- more')
  })
})

describe('P-g01 text that is built to be slow is shown as it is', () => {
  test.each([
    ['bold without end', '**a**'.repeat(16_000)],
    ['an address without end', `${'a.'.repeat(16_000)}@`],
    ['stars', `${'*'.repeat(8000)}a${'*'.repeat(8000)}`],
    ['brackets', '['.repeat(16_000)],
  ])('%s', (_name, text) => {
    expect(JSON.stringify(full(text))).toContain('"type":"plain"')
  })

  test.each([
    ['quotes', `${'>'.repeat(3000)}a`],
    ['lists', `${'- '.repeat(3000)}a`],
    ['indented lists', Array.from({ length: 400 }, (_, n) => `${'  '.repeat(n)}- a`).join('\n')],
  ])('deep %s', (_name, text) => {
    expect(full(text)).toEqual([{ type: 'plain', text }])
  })

  test('a long paragraph of ordinary prose is still parsed', () => {
    expect(JSON.stringify(full(`${'Some words here, '.repeat(600)}and **bold**.`))).toContain('"type":"strong"')
  })
})
