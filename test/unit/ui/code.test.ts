// Code on the page: in parts that only grow at the end, and in colours.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_CODE, splitCode } from '../../../src/ui/markdown/code-parts.ts'
import { highlight, languageOf } from '../../../src/ui/markdown/highlight.ts'
import { parsed, stringField } from '../../../src/ui/tool-views/partial-arguments.ts'

describe('code in parts', () => {
  test('P-g01 growing code keeps every part but the last', () => {
    const lines = Array.from({ length: 200 }, (_, n) => `line ${n}`)
    const before = splitCode(NO_CODE, lines.slice(0, 150).join('\n'))
    const after = splitCode(before, lines.join('\n'))
    expect(after.parts.slice(0, before.parts.length - 1)).toEqual(before.parts.slice(0, -1))
    expect(after.parts.join('\n')).toBe(lines.join('\n'))
  })

  test('for any text grown in any pieces, the parts joined give the text and are those of the whole', () => {
    const piece = fc.oneof(fc.constant('\n'), fc.constant('\n'.repeat(45)), fc.string({ maxLength: 20 }), fc.constant('x'.repeat(9000)))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        let state = NO_CODE
        let text = ''
        for (const added of pieces) {
          text += added
          state = splitCode(state, text)
        }
        expect(state.parts.join('\n')).toBe(text)
        if (text !== '') expect(state.parts).toEqual(splitCode(NO_CODE, text).parts)
      }),
    )
  })
})

describe('colours', () => {
  test('a comment, a string, a number and a word are told apart', () => {
    const kinds = highlight("const a = 'x' + 12 // why", 'js').filter((span) => span.kind !== 'plain')
    expect(kinds).toEqual([
      { kind: 'word', text: 'const' },
      { kind: 'string', text: "'x'" },
      { kind: 'number', text: '12' },
      { kind: 'comment', text: '// why' },
    ])
  })

  test('the lines of a diff are added or removed', () => {
    expect(highlight('- a\n+ b', 'diff').map((span) => span.kind)).toEqual(['removed', 'added'])
  })

  test('a language is told by its name or a file’s ending', () => {
    expect(['js', 'JavaScript', '/src/main.py', 'text', '', 'constructor'].map(languageOf)).toEqual([
      'js',
      'javascript',
      'py',
      undefined,
      undefined,
      undefined,
    ])
  })

  test('no text is changed, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('js', 'py', 'sh', 'json', 'sql', 'diff', 'css'), (text, language) => {
        expect(
          highlight(text, language)
            .map((span) => span.text)
            .join(''),
        ).toBe(text)
      }),
    )
  })
})

describe('arguments of a tool that is still being written', () => {
  const whole = JSON.stringify({ path: '/a "b".txt', count: 3, content: 'one\n"two" \\ \u2028 é 😀 end' })

  test('a field can be read as far as it has come, from any cut', () => {
    const value = (JSON.parse(whole) as { content: string }).content
    for (let cut = 0; cut <= whole.length; cut++) {
      const field = stringField(whole.slice(0, cut), 'content')
      if (field !== undefined) expect(value.startsWith(field) || field.replace(/[\ud800-\udbff]$/, '') !== field).toBe(true)
    }
    expect(stringField(whole.slice(0, -3), 'content')).toBe(value.slice(0, -1))
    expect(stringField(whole, 'content')).toBe(value)
  })

  test('what is not there or is no string is undefined, and broken JSON is no crash', () => {
    expect(stringField('{"a":1', 'b')).toBeUndefined()
    expect(stringField(whole, 'count')).toBeUndefined()
    expect(stringField('', 'a')).toBeUndefined()
    expect(stringField('not json', 'a')).toBeUndefined()
    expect(parsed('[1]')).toBeUndefined()
    expect(parsed('null')).toBeUndefined()
  })

  test('text that names the field inside a string is not taken for it', () => {
    expect(stringField('{"note":"\\"content\\":\\"no\\"","content":"yes', 'content')).toBe('yes')
  })
})
