// Calls that models write as text (W9): found in every form, typed by the schema, hidden; and never where they are only quoted.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolSchema } from '../../../src/storage/log/model-call.ts'
import type { CallPiece } from '../../../src/worker/llm/wire/call-collector.ts'
import { textCalls } from '../../../src/worker/llm/wire/text-calls/find-calls.ts'

const TOOLS: readonly ToolSchema[] = [
  {
    name: 'read_file',
    description: '',
    parameters: { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' }, deep: { type: 'boolean' } } },
  },
  {
    name: 'write_file',
    description: '',
    parameters: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
  },
]

const filter = (pieces: readonly string[], ending: 'whole' | 'cut' = 'whole') => {
  let text = ''
  const found: CallPiece[] = []
  const filtered = textCalls(
    { tools: TOOLS, newId: () => 'id' },
    {
      text: (piece) => {
        text += piece
      },
      call: (piece) => found.push(piece),
    },
  )
  for (const piece of pieces) filtered.push(piece)
  filtered.end(ending)
  return { text, calls: found.map((piece) => [piece.name, piece.arguments]) }
}
const READ_A = [['read_file', '{"path":"a"}']]

describe('W9 calls as text', () => {
  test('W9 the cost of many markers that are no calls grows with their number, as when a model repeats one without end', () => {
    const text = '<tool_call>! >\n\n'.repeat(25_000)
    expect(filter([...text.match(/.{1,15}/gs)!])).toEqual({ text, calls: [] })
  })

  test('W9 the cost of a long line grows with its length: 400 KB of tags without a line break', () => {
    const pieces = Array.from({ length: 50_000 }, () => '<b>x</b>')
    expect(filter(pieces)).toEqual({ text: pieces.join(''), calls: [] })
  })

  test('W9 the cost of a long argument grows with its length: 200 KB in small pieces are read well within the time of a test', () => {
    const pieces = Array.from({ length: 25_000 }, () => '<b>x</b>')
    const { text, calls } = filter(['<tool_call>{"name":"write_file","arguments":{"text":"', ...pieces, '"}}</tool_call>', '\nSo.'])
    expect(calls).toEqual([['write_file', JSON.stringify({ text: pieces.join('') })]])
    expect(text).toBe('So.')
  })

  test.each([
    ['Hermes JSON', '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>'],
    ['Hermes JSON with its arguments as text', '<tool_call>{"name":"read_file","arguments":"{\\"path\\":\\"a\\"}"}</tool_call>'],
    ['Hermes JSON without an end tag', '<tool_call>{"name":"read_file","parameters":{"path":"a"}}'],
    ['Qwen tags', '<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>'],
    ['Qwen tags alone', '<function=read_file><parameter=path>a</parameter></function>'],
    ['a function with JSON', '<function=read_file>{"path": "a"}</function>'],
    ['invoke tags', '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a</parameter>\n</invoke>\n</function_calls>'],
    ['one invoke tag', '<invoke name="read_file"><parameter name="path">a</parameter></invoke>'],
    [
      'DSML',
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    ],
    ...['｜', '｜｜', '|', '||', '‖'].flatMap((bar) =>
      ['function_calls', 'tool_calls', ' calls'].map((frame): [string, string] => {
        const mark = `${bar}DSML${bar}${frame.startsWith(' ') ? ' ' : ''}`
        const invoke = `<${mark}invoke name="read_file">\n<${mark}parameter name="path" string="true">a</${mark}parameter>\n</${mark}invoke>`
        return [`DSML between ${bar}, framed by ${frame}`, `<${mark}${frame.trim()}>\n${invoke}\n</${mark}${frame.trim()}>`]
      }),
    ),
    [
      'one DSML invoke tag',
      '<｜DSML｜invoke name="read_file"><｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter></｜DSML｜invoke>',
    ],
    ['GLM keys and values', '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>'],
    ['a Mistral list', '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a"}}]'],
    ['a Mistral name', '[TOOL_CALLS]read_file[ARGS]{"path": "a"}'],
    ['a Mistral name with an id', '[TOOL_CALLS]read_file[CALL_ID]x1[ARGS]{"path": "a"}'],
  ])('W9 %s is a call, whole or letter by letter, and not shown', (_, markup) => {
    for (const pieces of [[markup], [...markup], [`Now:\n${markup}`], [`${markup}\n`]]) {
      const { text, calls } = filter(pieces)
      expect(calls).toEqual(READ_A)
      expect(text.trim()).toBe(pieces[0]?.startsWith('Now') ? 'Now:' : '')
    }
  })

  test('W9 several calls in a row are several calls, and the text around them stays', () => {
    const one = '<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>'
    const two = '<tool_call>{"name":"write_file","arguments":{"path":"b"}}</tool_call>'
    expect(filter([`First ${one}\n\n${two} then.`])).toEqual({
      text: 'First then.',
      calls: [...READ_A, ['write_file', '{"path":"b"}']],
    })
    const list = '[TOOL_CALLS] [{"name":"read_file","arguments":{"path":"a"}},{"name":"write_file","arguments":{"path":"b"}}]'
    expect(filter([...list]).calls).toHaveLength(2)
  })

  test('W9 values are typed by the schema: numbers where it says so, text where it says text', () => {
    const markup =
      '<function=read_file>\n<parameter=path>\n40\n</parameter>\n<parameter=limit>\n40\n</parameter>\n<parameter=deep>\ntrue\n</parameter>\n</function>'
    expect(filter([markup]).calls).toEqual([['read_file', '{"path":"40","limit":40,"deep":true}']])
    const dsml = '<｜DSML｜invoke name="read_file"><｜DSML｜parameter name="limit" string="false">7</｜DSML｜parameter></｜DSML｜invoke>'
    expect(filter([dsml]).calls).toEqual([['read_file', '{"limit":7}']])
  })

  test('W9 text arguments are kept to the letter: tags, blanks and line breaks inside', () => {
    const value = '\n  <b>x</b>\n</parameter> is a tag\n\n'
    const markup = `<function=write_file>\n<parameter=text>\n${value}\n</parameter>\n</function>`
    expect(filter([...markup]).calls).toEqual([['write_file', JSON.stringify({ text: value })]])
    const json = `<tool_call>{"name":"write_file","arguments":${JSON.stringify({ text: 'see </tool_call> and {x}' })}}</tool_call>`
    expect(filter([...json]).calls).toEqual([['write_file', '{"text":"see </tool_call> and {x}"}']])
  })

  const MARKUP = '<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>'
  test.each([
    ['in a fence', `\`\`\`xml\n${MARKUP}\n\`\`\`\n`],
    ['in a fence of tildes', `~~~\n${MARKUP}\n~~~`],
    ['in a fence that was not closed', `\`\`\`\n${MARKUP}`],
    ['in a fence on the line of a list marker', `- \`\`\`xml\n  ${MARKUP}\n  \`\`\`\n`],
    ['in a fence on the line of a number', `10) ~~~\n    ${MARKUP}\n    ~~~\n`],
    ['in a fence in a quote in a list', `- > \`\`\`\n  > x\n  ${MARKUP}`],
    ['after backticks with an info string, which close no fence', `\`\`\`md\n\`\`\`js\n${MARKUP}\n\`\`\`\n`],
    ['after backticks too few to close', `\`\`\`\`\n\`\`\`\n${MARKUP}`],
    ['after backticks too deep to close', `\`\`\`\n    \`\`\`\n${MARKUP}`],
    ['after quoted backticks in a fence', `\`\`\`\n> \`\`\`\n${MARKUP}`],
    ['after backticks on a list marker in a fence', `\`\`\`\n- \`\`\`\n${MARKUP}`],
    ['after tildes in a fence of backticks', `\`\`\`\n~~~\n${MARKUP}`],
    ['after backticks outside the list item, which open another fence', `- \`\`\`\n  a\n\`\`\`\n${MARKUP}`],
    ['after the same, the fence in a paragraph of the item', `1. Do:\n\n   \`\`\`\n   a\n\`\`\`\n${MARKUP}`],
    ['on the line of a closing fence', `\`\`\`\na\n\`\`\` ${MARKUP}`],
    ['between three backticks at the start of a line', `\`\`\`${MARKUP}\`\`\` is a call.`],
    ['in a span over two lines', `Like \`a\n${MARKUP}\` this.`],
    ['in a span that begins where one over two lines has ended', `a \`b\nc\` and \`d\n${MARKUP}\` e`],
    ['in inline code', `Write \`${MARKUP}\` to call.`],
    ['in a block quote', `> ${MARKUP}\n`],
    ['in quotation marks', `It printed "${MARKUP}".`],
    ...['“', '‘', '«', '‹', '„', '「'].map((mark): [string, string] => [`after ${mark}`, `It printed ${mark}${MARKUP}.`]),
    ['for a tool that was not declared', '<tool_call>{"name":"rm","arguments":{}}</tool_call>'],
    ['that is not JSON', '<tool_call>well, {nothing}</tool_call>'],
    ['of a list with one unknown tool', '[TOOL_CALLS][{"name":"read_file","arguments":{}},{"name":"rm","arguments":{}}]'],
    ['whose JSON has no name', '<tool_call>{"arguments":{}}</tool_call>'],
  ])('W9 markup %s never runs and stays visible', (_, text) => {
    for (const pieces of [[text], [...text]]) expect(filter(pieces)).toEqual({ text, calls: [] })
  })

  test('W9 a call after a closed fence runs', () => {
    expect(filter([`\`\`\`\ncode\n\`\`\`\n${MARKUP}`]).calls).toEqual(READ_A)
    expect(filter([`It is \`code\`. ${MARKUP}`]).calls).toEqual(READ_A)
    expect(filter([`\`\`\`\r\ncode\r\n   \`\`\`\` \t\r\n${MARKUP}`]).calls).toEqual(READ_A)
    expect(filter([`- \`\`\`sh\n  ls\n  \`\`\`\n\nNow:\n${MARKUP}`]).calls).toEqual(READ_A)
    expect(filter([`1. a\n   - b\n     \`\`\`\n     c\n       \`\`\`\n${MARKUP}`]).calls).toEqual(READ_A)
    expect(filter([`\`\`\`a\`\`\` is a span.\n${MARKUP}`]).calls).toEqual(READ_A)
    expect(filter([`> \`\`\`\n> never closed\n\n${MARKUP}`]).calls).toEqual(READ_A)
  })

  test('W9 a call after a backtick that nothing closes in its paragraph runs', () => {
    for (const text of [
      `A \` tick\n${MARKUP}`,
      `A \` tick\n${MARKUP}\n\nand \` one`,
      `A \`\` b\n${MARKUP} \`c\``,
      `A \` b\n\n${MARKUP}\``,
    ]) {
      for (const pieces of [[text], [...text]]) expect(filter(pieces).calls).toEqual(READ_A)
    }
  })

  test('W9 several objects in one tag are all called or none is, and a stray end of the frame is hidden', () => {
    const a = '{"name":"read_file","arguments":{"path":"a"}}'
    for (const pieces of [[`<tool_call>\n${a}\n${a}\n</tool_call>`], [`<tool_call>${a}${a}`]]) {
      expect(filter(pieces)).toEqual({ text: '', calls: [...READ_A, ...READ_A] })
      expect(filter([...pieces.join('')])).toEqual({ text: '', calls: [...READ_A, ...READ_A] })
    }
    const mixed = `<tool_call>${a}\n{"name":"rm","arguments":{}}</tool_call>`
    expect(filter([mixed])).toEqual({ text: mixed, calls: [] })
    const tags = '<function=read_file><parameter=path>a</parameter></function>'
    expect(filter([...`${tags}\n</tool_call>\nDone.`])).toEqual({ text: 'Done.', calls: READ_A })
    expect(filter(['An end tag is </tool_call>.'])).toEqual({ text: 'An end tag is </tool_call>.', calls: [] })
  })

  test('W9 a call that the limit cut is a cut call, not text and not a run', () => {
    const cut = '<tool_call>{"name":"write_file","arguments":{"text":"half'
    expect(filter([cut], 'cut')).toEqual({ text: '', calls: [['write_file', cut]] })
    expect(filter([cut], 'whole')).toEqual({ text: cut, calls: [] })
    const tags = '<function=write_file>\n<parameter=text>\nhalf'
    expect(filter([tags], 'cut').calls).toEqual([['write_file', tags]])
    const keys = '<tool_call>write_file\n<arg_key>text</arg_key>\n<arg_value>half'
    expect(filter([keys], 'cut').calls).toEqual([['write_file', keys]])
    expect(filter(['<tool_call>{"name":"rm"'], 'cut')).toEqual({ text: '<tool_call>{"name":"rm"', calls: [] })
  })

  test('W9 what follows a call without its end tag is read on', () => {
    const one = '<tool_call>{"name":"read_file","arguments":{"path":"a"}}'
    expect(filter([one, one]).calls).toEqual([...READ_A, ...READ_A])
    expect(filter([`${one}\n<tool_call>{"na`])).toEqual({ text: '<tool_call>{"na', calls: READ_A })
  })

  test('W9 no tools, no calls', () => {
    let text = ''
    const bare = textCalls(
      { newId: () => 'id' },
      {
        text: (piece) => {
          text += piece
        },
        call: () => expect.unreachable(),
      },
    )
    bare.push(MARKUP)
    bare.end('whole')
    expect(text).toBe(MARKUP)
  })

  test('W9 no cut of any text changes what is found, and no letter of plain text is lost', () => {
    const token = fc.constantFrom(
      ...[
        '<tool_call>',
        '</tool_call>',
        '<function=read_file>',
        '<parameter=path>',
        '</parameter>',
        '</function>',
        '[TOOL_CALLS]',
        'read_file',
      ],
      ...['[ARGS]', '{"name":"read_file","arguments":{}}', '{"path":"a"}', '<invoke name="read_file">', '</invoke>', '<function_calls>'],
      ...['`', '```\n', '\n', '\n\n', '- ', ' ', 'a', '<', '[', '"', '> ', '<｜DSML｜invoke name="read_file">', MARKUP],
    )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), fc.constantFrom('whole', 'cut'), (tokens, ending) => {
        const text = tokens.join('')
        const whole = filter([text], ending)
        expect(filter([...text], ending)).toEqual(whole)
        if (whole.calls.length === 0) expect(whole.text).toBe(text)
      }),
      { numRuns: 3000 },
    )
  })

  test('W9 a long argument is not read again with every piece', () => {
    const pieces = [
      '<tool_call>{"name":"write_file","arguments":{"text":"',
      ...Array.from({ length: 20_000 }, () => 'words '),
      '"}}</tool_call>',
    ]
    expect(filter(pieces).calls[0]?.[1]).toHaveLength('{"text":""}'.length + 120_000)
  })
})
